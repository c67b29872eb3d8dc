// How a value lies in a column. Doubles and dates stand in columns without a declared type: a REAL column would turn −0 into 0.
// SQLite turns a bound NaN into NULL, so NaN stands as the text `nan`, or `nan:<bits in hex>` where its payload is not the usual one.
// Dates are seconds since 2001-01-01T00:00:00Z, as Foundation holds them: any other origin would lose bits.
// A UUID is a blob of its 16 bytes, a decimal its text, a boolean 0 or 1.

import FoundationEssentials
package import SluiceSQLite

extension PropertyValue {
    /// The value as SQLite keeps it.
    package var stored: SQLiteValue {
        switch self {
        case .null: .null
        case .string(let text): .text(text)
        case .integer(let value): .integer(value)
        case .boolean(let value): .integer(value ? 1 : 0)
        case .double(let value): Self.stored(value)
        case .decimal(let value): .text(value.description)
        case .date(let value): Self.stored(value.timeIntervalSinceReferenceDate)
        case .data(let value): .blob(value)
        case .uuid(let value): .blob(withUnsafeBytes(of: value.uuid) { Data($0) })
        }
    }

    /// The value of a column of `type`. A value that a person put there in another form is read as well as it can be, and otherwise is null.
    package init(stored value: SQLiteValue, as type: AttributeType) {
        switch (type, value) {
        case (_, .null): self = .null
        case (.string, .text(let text)), (.url, .text(let text)): self = .string(text)
        case (.int16, .integer(let number)), (.int32, .integer(let number)), (.int64, .integer(let number)): self = .integer(number)
        case (.boolean, .integer(let number)): self = .boolean(number != 0)
        case (.float, _), (.double, _): self = Self.double(stored: value).map(Self.double) ?? .null
        case (.date, _):
            self = Self.double(stored: value).map { .date(Date(timeIntervalSinceReferenceDate: $0)) } ?? .null
        case (.decimal, .text(let text)): self = Decimal(string: text).map(Self.decimal) ?? .null
        case (.decimal, .integer(let number)): self = .decimal(Decimal(number))
        case (.uuid, .blob(let bytes)) where bytes.count == 16:
            self = .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
        case (.uuid, .text(let text)): self = UUID(uuidString: text).map(Self.uuid) ?? .null
        case (.data, .blob(let bytes)), (.codable, .blob(let bytes)), (.transformable, .blob(let bytes)): self = .data(bytes)
        default: self = .null
        }
    }

    fileprivate static func stored(_ value: Double) -> SQLiteValue {
        guard value.isNaN else { return .real(value) }
        return .text(value.bitPattern == Double.nan.bitPattern ? "nan" : "nan:" + String(value.bitPattern, radix: 16))
    }

    fileprivate static func double(stored value: SQLiteValue) -> Double? {
        switch value {
        case .real(let number): number
        case .integer(let number): Double(number)
        case .text("nan"): .nan
        case .text(let text) where text.hasPrefix("nan:"): UInt64(text.dropFirst(4), radix: 16).map(Double.init(bitPattern:))
        default: nil
        }
    }
}

// The same for doubles and dates without an enum between, for who reads and writes millions of them.
extension Statement {
    /// The double of a column; 0 where it has none.
    package func storedDouble(_ column: Int32) -> Double {
        isText(column) ? PropertyValue.double(stored: .text(text(column))) ?? 0 : double(column)
    }

    package func bind(storedDouble value: Double, at position: Int32) throws(SQLiteError) {
        if value.isNaN { try bind(PropertyValue.stored(value), at: position) } else { try bind(value, at: position) }
    }
}

extension Statement {
    /// Binds a name as it lies in a column.
    package func bind(_ name: RecordName, at position: Int32) throws(SQLiteError) {
        switch name {
        case .uuid(let uuid): try bind(uuid, at: position)
        case .text(let text): try bind(text, at: position)
        }
    }
}

extension RecordName {
    /// 16 bytes for a UUID, the text verbatim for anything else: the two never look alike to SQLite.
    package var stored: SQLiteValue {
        switch self {
        case .uuid(let uuid): .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
        case .text(let text): .text(text)
        }
    }

    /// nil where the column holds neither form.
    package init?(stored value: SQLiteValue) {
        switch value {
        case .blob(let bytes) where bytes.count == 16:
            self = .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
        case .text(let text): self = .text(text)
        default: return nil
        }
    }
}
