/// Header fields in their order; names compare without regard to case.
package struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
    package private(set) var fields: [(name: String, value: String)]

    package init(_ fields: [(name: String, value: String)] = []) { self.fields = fields }
    package init(dictionaryLiteral elements: (String, String)...) { fields = elements.map { (name: $0.0, value: $0.1) } }

    /// The first field of that name.
    package subscript(name: String) -> String? {
        fields.first { Self.areEqual($0.name, name) }?.value
    }

    package mutating func append(_ name: String, _ value: String) { fields.append((name, value)) }

    /// Header names are ASCII, so folding its letters is enough.
    private static func areEqual(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && zip(left.utf8, right.utf8).allSatisfy { lowercased($0) == lowercased($1) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
