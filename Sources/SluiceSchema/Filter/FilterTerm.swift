import FoundationEssentials
package import SluiceSQLite

/// A value in SQL, with what decides how it compares and how a literal beside it is read.
package struct FilterTerm {
    /// The value as it lies in the store.
    package let sql: SQLFragment
    /// The form that equality and order look at: text in NFC.
    package let comparison: SQLFragment
    package let kind: Kind
    /// What an error calls it.
    let name: String

    package enum Kind: Hashable {
        case attribute(AttributeType)
        /// A to-one relationship: the destination's key, compared with a record name.
        case reference(table: TableLayout)
    }

    init(_ sql: SQLFragment, comparison: SQLFragment? = nil, kind: Kind, name: String) {
        self.sql = sql
        self.comparison = comparison ?? (kind == .attribute(.decimal) ? Self.order(sql) : sql)
        self.kind = kind
        self.name = name
    }

    /// The type of the attribute that could hold it; nil for a reference.
    package var type: AttributeType? { if case .attribute(let type) = kind { type } else { nil } }

    var mayHoldNaN: Bool { type == .double || type == .float || type == .date }

    private static func order(_ sql: SQLFragment) -> SQLFragment { "\(sql: FilterFunctions.decimal)(\(sql))" }

    /// What stands for a literal in a comparison.
    func placeholder(_ value: SQLiteValue) -> SQLFragment {
        guard case .reference(let table) = kind else { return "\(bind: value)" }
        // A name that no row has must differ from nil: 0 is nobody's key.
        return "coalesce((SELECT _pk FROM \(sql: table.sql) WHERE _id = \(bind: value)), 0)"
    }

    func requireOrder() throws(FilterError) {
        switch kind {
        case .attribute(let type) where type.isBytes: throw .unsupported(property: name, reason: "bytes have no order")
        case .reference: throw .unsupported(property: name, reason: "a reference has no order; name a property of its destination")
        default: break
        }
    }

    // MARK: Literals

    /// The literal in the form that `comparison` has.
    func compared(_ literal: RowFilter.Literal) throws(FilterError) -> SQLiteValue {
        let value = try value(of: literal)
        guard kind == .attribute(.decimal), let number = Decimal(stored: value) else { return value }
        return .blob(number.orderKey)
    }

    /// The literal as a column of this kind stores it.
    func value(of literal: RowFilter.Literal) throws(FilterError) -> SQLiteValue {
        switch kind {
        case .reference:
            guard case .text(let name) = literal else { throw wrongType("a record name in quotes", literal) }
            return RecordName(name).stored
        case .attribute(let type): return try value(of: literal, as: type)
        }
    }

    private func value(of literal: RowFilter.Literal, as type: AttributeType) throws(FilterError) -> SQLiteValue {
        switch (type, literal) {
        case (.string, .text(let text)): return .text(CanonicalText.nfc(text))
        case (.url, .text(let text)): return .text(text)
        case (.int16, .integer(let value)), (.int32, .integer(let value)), (.int64, .integer(let value)): return .integer(value)
        case (.int16, .number(let value)), (.int32, .number(let value)), (.int64, .number(let value)): return .real(value)
        case (.boolean, .boolean(let value)): return .integer(value ? 1 : 0)
        case (.double, .integer(let value)): return .integer(value)
        case (.double, .number(let value)): return .real(value)
        case (.float, .integer(let value)): return .real(Double(Float(value)))
        case (.float, .number(let value)): return .real(Double(Float(value)))
        case (.date, .text(let text)): return .real(try date(text))
        case (.uuid, .text(let text)):
            guard let uuid = UUID(uuidString: text) else { throw wrongType("a UUID", literal) }
            return PropertyValue.uuid(uuid).stored
        case (.decimal, .integer(let value)): return .text(Decimal(value).description)
        case (.decimal, .number), (.decimal, .text): return .text(try decimal(literal).description)
        case (.data, _), (.codable, _), (.transformable, _): throw .unsupported(property: name, reason: "bytes are compared with nil only")
        default: throw wrongType(Self.expectation(type), literal)
        }
    }

    /// A decimal keeps the digits that are written: beyond seventeen of them it stands in quotes.
    private func decimal(_ literal: RowFilter.Literal) throws(FilterError) -> Decimal {
        let text =
            switch literal {
            case .number(let number): "\(number)"
            case .text(let text): text
            default: ""
            }
        guard text.allSatisfy({ $0.isASCII && ($0.isNumber || "+-.eE".contains($0)) }), let number = Decimal(string: text) else {
            throw wrongType("a number, in quotes or without", literal)
        }
        return number
    }

    private func date(_ text: String) throws(FilterError) -> Double {
        // Read by the one reader of dates, so that a row is found by the text that it was given as, to the last bit.
        if let date = ScalarForm.date(text) ?? ScalarForm.date(text + "T00:00:00Z") { return date.timeIntervalSinceReferenceDate }
        if ["now", "today", "localtime"].contains(text.lowercased()) {
            throw .unsupported(
                property: name,
                reason: "rows would change with the clock and without an edit; name a date, or let whoever reads compare with the clock")
        }
        throw wrongType("a date such as \"2026-01-31\" or \"2026-01-31T12:00:00Z\"", .text(text))
    }

    func wrongType(_ expected: String, _ literal: RowFilter.Literal) -> FilterError {
        let found =
            switch literal {
            case .null: "nil"
            case .boolean(let value): "\(value)"
            case .integer(let value): "\(value)"
            case .number(let value): "\(value)"
            case .text: "a text"
            }
        return .wrongType(property: name, expected: expected, found: found)
    }

    var expectation: String {
        switch kind {
        case .attribute(let type): Self.expectation(type)
        case .reference: "a reference"
        }
    }

    private static func expectation(_ type: AttributeType) -> String {
        switch type {
        case .boolean: "true or false"
        case .int16, .int32, .int64, .float, .double: "a number"
        case .date: "a date in quotes"
        case .uuid: "a UUID in quotes"
        default: "a text in quotes"
        }
    }
}

extension FilterTerm.Kind {
    /// What a literal is where nothing beside it says.
    init?(_ literal: RowFilter.Literal) {
        switch literal {
        case .null: return nil
        case .boolean: self = .attribute(.boolean)
        case .integer: self = .attribute(.int64)
        case .number: self = .attribute(.double)
        case .text: self = .attribute(.string)
        }
    }

    var isInteger: Bool { if case .attribute(let type) = self { type.isInteger } else { false } }
    var isReal: Bool { self == .attribute(.double) || self == .attribute(.float) }
    var isNumber: Bool { isInteger || isReal }

    /// Whether values of the two compare with each other.
    func compares(with other: Self) -> Bool { self == other || (isNumber && other.isNumber) }
}
