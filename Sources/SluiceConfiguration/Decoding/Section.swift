import SluiceNotation

/// The keys of one kind of section. `Config/` documents each of them, and a test compares the two.
protocol SectionKey: RawRepresentable, CaseIterable, Hashable, Sendable where RawValue == String {}

/// A mapping whose keys are known. Unknown and repeated keys are faults as soon as it is made.
struct Section<Key: SectionKey> {
    private let name: String
    private let position: Position
    private let entries: [Key: YAMLNode]
    let log: FaultLog

    /// Nil, with a fault, if the node is no mapping.
    init?(_ node: YAMLNode, name: String, log: FaultLog) {
        guard let found = log.entries(node, expected: "a mapping of \(Self.known)") else { return nil }
        var entries: [Key: YAMLNode] = [:]
        for entry in found {
            if let key = Key(rawValue: entry.key) {
                entries[key] = entry.value
            } else {
                log.add(
                    entry.position, found: "unknown key `\(entry.key)`", expected: "one of \(Self.known)",
                    suggestion: Spelling.nearest(to: entry.key, in: Key.allCases.map(\.rawValue)))
            }
        }
        self.name = name
        self.position = node.position
        self.entries = entries
        self.log = log
    }

    private static var known: String { Key.allCases.map(\.rawValue).joined(separator: ", ") }

    subscript(key: Key) -> YAMLNode? { entries[key] }

    func value<Value>(_ key: Key, _ kind: ScalarKind<Value>) -> Value? {
        entries[key].flatMap { log.value($0, kind) }
    }

    func required<Value>(_ key: Key, _ kind: ScalarKind<Value>) -> Value? {
        if entries[key] == nil { reportMissing(key, expected: kind.expectation) }
        return value(key, kind)
    }

    func values<Value>(_ key: Key, _ kind: ScalarKind<Value>) -> [Value]? {
        guard let node = entries[key], let nodes = log.list(node, expected: "a list; each item is \(kind.expectation)") else { return nil }
        return nodes.compactMap { log.value($0, kind) }
    }

    /// The section below `key`. Absent is fine.
    func section<Inner: SectionKey>(_ key: Key, of type: Inner.Type) -> Section<Inner>? {
        entries[key].flatMap { Section<Inner>($0, name: key.rawValue, log: log) }
    }

    func requiredSection<Inner: SectionKey>(_ key: Key, of type: Inner.Type) -> Section<Inner>? {
        if entries[key] == nil { reportMissing(key, expected: "a mapping of \(Section<Inner>.known)") }
        return section(key, of: type)
    }

    /// At most one of two keys may be set.
    func refuse(_ key: Key, beside other: Key) {
        guard let node = entries[key], entries[other] != nil else { return }
        log.add(node.position, found: "`\(key.rawValue)` beside `\(other.rawValue)`", expected: "one of the two")
    }

    func reportMissing(_ key: Key, expected: String) {
        let place = name.isEmpty ? "" : " in `\(name)`"
        log.add(position, found: "no `\(key.rawValue)`\(place)", expected: "`\(key.rawValue)`: \(expected)")
    }
}
