package import FoundationEssentials

/// One value as SQLite stores it.
package enum SQLiteValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob(Data)

    package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    package var text: String? { if case .text(let value) = self { value } else { nil } }
    package var blob: Data? { if case .blob(let value) = self { value } else { nil } }
    package var isNull: Bool { self == .null }
}

extension SQLiteValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(stringLiteral value: String) { self = .text(value) }
    package init(_ value: Int64) { self = .integer(value) }
    package init(_ value: Int) { self = .integer(Int64(value)) }
    package init(_ value: String?) { self = value.map(Self.text) ?? .null }
    package init(_ value: Data?) { self = value.map(Self.blob) ?? .null }
    package init(_ value: Int64?) { self = value.map(Self.integer) ?? .null }
}
