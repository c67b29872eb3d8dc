/// Why a filter or an order cannot be used, and where.
public enum FilterError: Error, Hashable, Sendable {
    /// The text could not be read. `column` counts characters from 1.
    case syntax(column: Int, found: String, expected: String)
    /// The text is longer, or its parentheses are deeper, than anybody writes by hand.
    case tooLarge(String)
    case unknownEntity(String, known: [String])
    case unknownProperty(String, entity: String, known: [String])
    case wrongType(property: String, expected: String, found: String)
    /// The store cannot answer this exactly, and a wrong answer is worse than none.
    case unsupported(property: String, reason: String)
}

extension FilterError {
    /// Where a name stands in the text of an expression; 1 where it does not.
    package static func column(of name: String, in text: String) -> Int {
        guard let tokens = try? FilterLexer.tokens(of: text) else { return 1 }
        let first = name.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.first.map(String.init) ?? name
        return tokens.first { $0.kind == .name(first) || $0.kind == .quotedName(first) }?.column ?? 1
    }
}

extension FilterError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .syntax(let column, let found, let expected): "column \(column): found \(found), expected \(expected)"
        case .tooLarge(let what): "the filter is too large: \(what)"
        case .unknownEntity(let name, let known): "there is no entity \(name) here; there are \(Self.list(known))"
        case .unknownProperty(let name, let entity, let known): "\(entity) has no property \(name); it has \(Self.list(known))"
        case .wrongType(let property, let expected, let found): "\(property) is compared with \(found), expected \(expected)"
        case .unsupported(let property, let reason): "\(property): \(reason)"
        }
    }

    private static func list(_ names: [String]) -> String {
        if names.isEmpty { return "none" }
        return names.prefix(20).joined(separator: ", ") + (names.count > 20 ? " and \(names.count - 20) more" : "")
    }
}
