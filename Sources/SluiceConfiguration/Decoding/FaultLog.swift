/// The faults of one file while it is decoded. It lives for one decoding, on one thread.
final class FaultLog {
    let file: String
    private(set) var faults: [ConfigurationFault] = []

    init(file: String) { self.file = file }

    func add(_ position: Position, found: String, expected: String, suggestion: String? = nil) {
        faults.append(ConfigurationFault(file: file, position: position, found: found, expected: expected, suggestion: suggestion))
    }

    /// Faults of another file that this one refers to.
    func add(_ others: [ConfigurationFault]) { faults += others }

    /// This file's faults first, by line.
    var error: ConfigurationError {
        let own = faults.filter { $0.file == file }.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
        return ConfigurationError(own + faults.filter { $0.file != file })
    }

    // MARK: Shapes

    func scalar(_ node: YAMLNode, expected: String) -> String? {
        guard case .scalar(let text) = node.content, !node.isNothing else {
            add(node.position, found: node.summary, expected: expected)
            return nil
        }
        return text
    }

    func value<Value>(_ node: YAMLNode, _ kind: ScalarKind<Value>) -> Value? {
        guard let text = scalar(node, expected: kind.expectation) else { return nil }
        guard let value = kind.read(text) else {
            let found = kind.isSecret ? "what may hold a password, and is not shown for that" : node.summary
            add(node.position, found: found, expected: kind.expectation, suggestion: kind.suggest(text))
            return nil
        }
        return value
    }

    func list(_ node: YAMLNode, expected: String) -> [YAMLNode]? {
        guard case .sequence(let nodes) = node.content else {
            add(node.position, found: node.summary, expected: expected)
            return nil
        }
        return nodes
    }

    /// The entries of a mapping whose keys are names, without those that stand twice.
    func entries(_ node: YAMLNode, expected: String) -> [YAMLNode.Entry]? {
        guard case .mapping(let entries) = node.content else {
            add(node.position, found: node.summary, expected: expected)
            return nil
        }
        var lines: [String: Int] = [:]
        return entries.filter { entry in
            if let line = lines[entry.key] {
                add(entry.position, found: "key `\(entry.key)` again (first on line \(line))", expected: "each key once")
                return false
            }
            lines[entry.key] = entry.position.line
            return true
        }
    }
}
