/// Which rows: a condition over the properties of one entity, as a value.
///
/// It is written in configuration and on command lines as text (`RowFilter(parsing:)`), or put together in Swift. Its rules are Swift's:
/// nil differs from every value and is neither less nor greater than one, text is equal when it is canonically equivalent, a NaN equals
/// nothing, and what is searched for in text is taken literally.
public indirect enum RowFilter: Hashable, Sendable {
    case comparison(PropertyPath, Comparison, Literal)
    /// The property has one of these values.
    case membership(PropertyPath, [Literal])
    case match(PropertyPath, TextMatch, String)
    case and(RowFilter, RowFilter)
    case or(RowFilter, RowFilter)
    case not(RowFilter)
    /// A condition that is none of those above.
    case expression(FilterExpression)

    public enum Comparison: String, Hashable, Sendable, CaseIterable {
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
    }

    public enum TextMatch: String, Hashable, Sendable, CaseIterable {
        case contains
        case hasPrefix
    }

    /// A value as it is written; the property it is compared with decides its type. A date is text in ISO 8601, a UUID or a record name is
    /// text.
    public enum Literal: Hashable, Sendable {
        case null
        case boolean(Bool)
        case integer(Int64)
        case number(Double)
        case text(String)
    }
}

/// A property of the entity, or one reached over to-one relationships: `price`, `list.title`.
public struct PropertyPath: Hashable, Sendable {
    /// At least one name.
    public let names: [String]

    /// - Precondition: `names` is not empty.
    public init(_ names: [String]) {
        precondition(!names.isEmpty, "a path names at least one property")
        self.names = names
    }
}

extension PropertyPath: ExpressibleByStringLiteral, CustomStringConvertible {
    public init(stringLiteral text: String) {
        self.init(text.split(separator: ".", omittingEmptySubsequences: false).map(String.init))
    }

    public var description: String { names.joined(separator: ".") }
}

/// Which row comes first. Text sorts by its NFC scalars, nil before every value; rows that are equal in all terms keep the order of
/// insertion.
public struct RowOrder: Hashable, Sendable {
    public struct Term: Hashable, Sendable {
        public var path: PropertyPath
        public var isDescending: Bool

        public init(_ path: PropertyPath, isDescending: Bool = false) {
            self.path = path
            self.isDescending = isDescending
        }
    }

    public var terms: [Term]

    public init(_ terms: [Term] = []) { self.terms = terms }
}

// MARK: As text. `RowFilter(parsing:)` reads it back to the same value.

extension RowFilter: CustomStringConvertible {
    public var description: String {
        switch self {
        case .comparison(let path, let comparison, let literal): "\(FilterPath(path.names).text(bare: 0)) \(comparison.rawValue) \(literal)"
        case .membership(let path, let literals): "\(FilterPath(path.names).text(bare: 0)) in [\(literals.map(\.description).joined(separator: ", "))]"
        case .match(let path, let match, let text): "\(FilterPath(path.names).text(bare: 0)).\(match.rawValue)(\(Literal.text(text)))"
        case .and(let left, let right): "(\(left) && \(right))"
        case .or(let left, let right): "(\(left) || \(right))"
        case .not(let inner): "!(\(inner))"
        case .expression(let expression): expression.description
        }
    }
}

extension RowFilter.Literal: CustomStringConvertible {
    public var description: String {
        switch self {
        case .null: "nil"
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .text(let text): "\"" + text.unicodeScalars.map(Self.escaped).joined() + "\""
        }
    }

    /// By scalars, as it is read: a quote with an accent on it ends a text like any other.
    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"": "\\\""
        case "\\": "\\\\"
        case "\n": "\\n"
        case "\t": "\\t"
        case "\0": "\\0"
        default: String(scalar)
        }
    }
}

extension RowOrder: CustomStringConvertible {
    public var description: String {
        terms.map { $0.isDescending ? "\($0.path) desc" : "\($0.path)" }.joined(separator: ", ")
    }
}
