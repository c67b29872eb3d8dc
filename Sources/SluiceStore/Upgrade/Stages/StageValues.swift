// A stage's values on their way into their columns. A model trusts that a column of whole numbers holds whole numbers that fit; SQLite
// trusts nobody and stores what it is given. So each value passes through here.

import Foundation
import SluiceSQLite
import SluiceSchema

/// Checks the values of one edit, and counts those that do not fit. Used on the connection's executor.
final class StageValues {
    /// Takes a value, the place of its column among those that the edit sets, and the row's key: without the key SQLite would call it once
    /// for a value that is the same in all rows.
    static let function = "sluice_stage_value"

    struct Misfits {
        /// Of another type, or out of its range.
        var wrong = 0
        /// NULL where a value is required.
        var missing = 0
    }

    private let columns: [(column: TableLayout.Column, isRequired: Bool)]
    private let writer: ExternalValueWriter?
    private(set) var misfits: [Misfits]

    init(_ columns: [(column: TableLayout.Column, isRequired: Bool)], writer: ExternalValueWriter?) {
        self.columns = columns
        self.writer = writer
        misfits = Array(repeating: Misfits(), count: columns.count)
    }

    func register(on connection: Connection) throws(SQLiteError) {
        try connection.register(Self.function, argumentCount: 3) { [self] call in
            let place = Int(call.integer(1))
            guard columns.indices.contains(place) else { return .null }
            return try stored(call.value(0), place)
        }
    }

    /// The value as the column is to hold it; NULL, counted, where it cannot.
    private func stored(_ value: SQLiteValue, _ place: Int) throws -> SQLiteValue {
        if value.isNull {
            if columns[place].isRequired { misfits[place].missing += 1 }
            return .null
        }
        let column = columns[place].column
        guard let attribute = column.attribute else {
            guard case .integer = value else { return misfit(place) }
            return value
        }
        guard let form = Self.form(of: value, as: attribute.type) else { return misfit(place) }
        if let text = form.text, attribute.type.isBytes {
            // Words that look like the place of a file are one only where the file is.
            guard let reference = ExternalReference(text), let writer, writer.values.fault(of: reference) == nil else {
                return misfit(place)
            }
            return form
        }
        guard column.isExternal, case .blob(let bytes) = form, bytes.count > ExternalReference.inlineByteCountMax, let writer else {
            return form
        }
        return .text(try writer.write(bytes).text)
    }

    private func misfit(_ place: Int) -> SQLiteValue {
        misfits[place].wrong += 1
        return .null
    }

    /// The value in the form in which a column of `type` holds it; nil where it is no such value. Bytes in a file are a text here.
    static func form(of value: SQLiteValue, as type: AttributeType) -> SQLiteValue? {
        switch (type, value) {
        case (.string, .text), (.url, .text): value
        case (.int16, _), (.int32, _), (.int64, _): integer(value).flatMap { PropertyValue.integer($0).fits(type) ? .integer($0) : nil }
        case (.boolean, .integer(0)), (.boolean, .integer(1)): value
        case (.double, _), (.date, _), (.float, _): double(value, as: type)
        case (.decimal, .integer(let number)): .text(Decimal(number).description)
        case (.decimal, .text(let text)): decimal(text)
        case (.data, .blob), (.codable, .blob), (.transformable, .blob), (.data, .text), (.codable, .text), (.transformable, .text): value
        case (.uuid, .blob(let bytes)): bytes.count == 16 ? value : nil
        case (.uuid, .text(let text)): text.utf8.count == 36 ? UUID(uuidString: text).map { PropertyValue.uuid($0).stored } : nil
        default: nil
        }
    }

    private static func integer(_ value: SQLiteValue) -> Int64? {
        switch value {
        case .integer(let number): number
        case .real(let number): Int64(exactly: number)
        default: nil
        }
    }

    private static func double(_ value: SQLiteValue, as type: AttributeType) -> SQLiteValue? {
        // A NaN is a text in its column.
        if case .text = value { return PropertyValue(stored: value, as: type).isNull ? nil : value }
        let number: Double
        switch value {
        case .integer(let integer): number = Double(integer)
        case .real(let real): number = real
        default: return nil
        }
        guard type == .float else { return .real(number) }
        let narrow = Float(number)
        return narrow.isInfinite && number.isFinite ? nil : .real(Double(narrow))
    }

    /// Foundation reads a number at the beginning of a text and is content.
    private static func decimal(_ text: String) -> SQLiteValue? {
        guard text.wholeMatch(of: /[+-]?[0-9]{1,200}(?:\.[0-9]{1,200})?(?:[eE][+-]?[0-9]{1,4})?/) != nil,
            let number = Decimal(string: text), !number.isNaN
        else { return nil }
        return .text(number.description)
    }
}
