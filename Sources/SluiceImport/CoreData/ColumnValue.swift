import Foundation
import SluiceSQLite
import SluiceSchema

/// Turns what a column holds into a value of the attribute's type.
enum ColumnValue {
    enum Reading {
        case value(PropertyValue)
        /// True was stored as another number than 1.
        case oddBoolean
        case unreadable
    }

    static func read(_ stored: SQLiteValue, as type: AttributeType) -> Reading {
        if stored.isNull { return .value(.null) }
        if type == .boolean { return boolean(stored) }
        let value: PropertyValue? =
            switch type {
            case .string, .url: text(stored).map(PropertyValue.string)
            case .int16, .int32, .int64: integer(stored, fitting: type)
            case .float, .double: number(stored).map(PropertyValue.double)
            case .decimal: decimal(stored).map(PropertyValue.decimal)
            case .date: number(stored).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
            case .uuid: uuid(stored).map(PropertyValue.uuid)
            case .data, .codable, .transformable: bytes(stored).map(PropertyValue.data)
            case .boolean: nil
            }
        return value.map(Reading.value) ?? .unreadable
    }

    private static func boolean(_ stored: SQLiteValue) -> Reading {
        switch stored {
        case .integer(0): .value(.boolean(false))
        case .integer(1): .value(.boolean(true))
        case .integer: .oddBoolean
        default: .unreadable
        }
    }

    private static func text(_ stored: SQLiteValue) -> String? {
        switch stored {
        case .text(let text): text
        case .integer(let number): "\(number)"
        case .blob(let bytes): String(validating: bytes, as: UTF8.self)
        case .real, .null: nil
        }
    }

    private static func integer(_ stored: SQLiteValue, fitting type: AttributeType) -> PropertyValue? {
        let number: Int64? =
            switch stored {
            case .integer(let number): number
            case .real(let number): Int64(exactly: number)
            default: nil
            }
        return number.map(PropertyValue.integer).flatMap { $0.fits(type) ? $0 : nil }
    }

    private static func number(_ stored: SQLiteValue) -> Double? {
        switch stored {
        case .real(let number): number
        case .integer(let number): Double(exactly: number)
        default: nil
        }
    }

    /// A DECIMAL column has numeric affinity: SQLite keeps what is exact as a number and the rest as text.
    private static func decimal(_ stored: SQLiteValue) -> Decimal? {
        switch stored {
        case .integer(let number): Decimal(number)
        case .real(let number): number.isFinite ? Decimal(string: "\(number)") : nil
        case .text(let text):
            text.utf8.allSatisfy { "+-.eE0123456789".utf8.contains($0) } ? Decimal(string: text) : nil
        default: nil
        }
    }

    /// 16 bytes, or text in either case (field report 22).
    static func uuid(_ stored: SQLiteValue) -> UUID? {
        switch stored {
        case .blob(let bytes): UUID(bytes: bytes)
        case .text(let text): UUID(uuidString: text)
        default: nil
        }
    }

    private static func bytes(_ stored: SQLiteValue) -> Data? {
        switch stored {
        case .blob(let bytes): bytes
        case .text(let text): Data(text.utf8)
        default: nil
        }
    }
}
