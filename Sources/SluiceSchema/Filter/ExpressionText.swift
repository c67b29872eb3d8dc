// Expressions as text that reads back to the same value. Members of a to-many relationship are named `m1`, `m2`, … by their depth.

extension FilterExpression: CustomStringConvertible {
    public var description: String { text(bare: 0) }

    /// - Parameter bare: the depth of the row whose properties need no name in front.
    func text(bare: Int) -> String {
        switch self {
        case .literal(let literal): literal.description
        case .path(let path): path.text(bare: bare)
        case .and(let left, let right): "(\(left.text(bare: bare)) && \(right.text(bare: bare)))"
        case .or(let left, let right): "(\(left.text(bare: bare)) || \(right.text(bare: bare)))"
        case .not(let inner): "!(\(inner.text(bare: bare)))"
        case .comparison(let left, let comparison, let right):
            "(\(left.text(bare: bare)) \(comparison.rawValue) \(right.text(bare: bare)))"
        case .membership(let value, let literals):
            "(\(value.text(bare: bare)) in [\(literals.map(\.description).joined(separator: ", "))])"
        case .text(let value, .like, let pattern): "(\(value.text(bare: bare)) like \(pattern.text(bare: bare)))"
        case .text(let value, let test, let other): "\(value.receiver(bare: bare)).\(test.rawValue)(\(other.text(bare: bare)))"
        case .arithmetic(let left, let operation, let right):
            "(\(left.text(bare: bare)) \(operation.rawValue) \(right.text(bare: bare)))"
        case .coalesce(let value, let other): "(\(value.text(bare: bare)) ?? \(other.text(bare: bare)))"
        case .choice(let test, let first, let second):
            "(\(test.text(bare: bare)) ? \(first.text(bare: bare)) : \(second.text(bare: bare)))"
        case .length(let value): "length(\(value.text(bare: bare)))"
        case .some(let members): members.closure("contains", bare: bare)
        case .all(let members): members.closure("allSatisfy", bare: bare)
        case .aggregate(let aggregate): aggregate.text(bare: bare)
        }
    }

    /// What may stand before a dot.
    private func receiver(bare: Int) -> String {
        if case .path = self { text(bare: bare) } else { "(\(text(bare: bare)))" }
    }
}

extension FilterPath {
    func text(bare: Int) -> String {
        let names = names.map(Self.quoted).joined(separator: ".")
        if depth == bare { return names }
        return depth == 0 ? "self.\(names)" : "m\(depth).\(names)"
    }

    /// Names that are words of the language stand in backticks.
    private static func quoted(_ name: String) -> String { FilterWords.reserved.contains(name) ? "`\(name)`" : name }
}

extension FilterMembers {
    fileprivate func closure(_ method: String, bare: Int) -> String {
        // What needed no name outside needs none inside, as in Swift.
        let body = condition?.text(bare: bare) ?? "true"
        return "\(path.text(bare: bare)).\(method) { m\(depth) in \(body) }"
    }
}

extension FilterAggregate {
    fileprivate func text(bare: Int) -> String {
        var text = "\(function.rawValue)(\(members.path.text(bare: bare))"
        if !order.isEmpty { text += " by \(FilterPath(depth: members.depth, order).text(bare: members.depth))" }
        if let condition = members.condition { text += " where \(condition.text(bare: members.depth))" }
        return text + ")"
    }
}
