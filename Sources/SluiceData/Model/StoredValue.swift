// Values that lie in a column as they are. How each looks there is decided by SluiceSchema's PropertyValue (its ColumnCoding); this file
// says the same without the detour through that enum, because a fetch reads millions of them.

public import Foundation
import SluiceSchema
import SluiceSQLite

/// A type that a column holds directly: numbers, text, dates, bytes, identifiers, and optionals of them.
public protocol _StoredValue: Codable {
    static func _$read(_ row: _RowReader, _ column: Int32) -> Self
    func _$write(_ row: _RowWriter, _ position: Int32)
    /// What stands for a value that nobody knows: of a row that is gone, or of a column that a person emptied.
    static var _$zero: Self { get }
}

extension Optional: _StoredValue where Wrapped: _StoredValue {
    public static func _$read(_ row: _RowReader, _ column: Int32) -> Self { row.isNull(column) ? nil : Wrapped._$read(row, column) }
    public func _$write(_ row: _RowWriter, _ position: Int32) {
        if let self { self._$write(row, position) } else { row.bindNull(position) }
    }
    public static var _$zero: Self { nil }
}

extension String: _StoredValue {
    public static func _$read(_ row: _RowReader, _ column: Int32) -> String { row.text(column) }
    public func _$write(_ row: _RowWriter, _ position: Int32) { row.bind(text: self, position) }
    public static var _$zero: String { "" }
}

extension Bool: _StoredValue {
    public static func _$read(_ row: _RowReader, _ column: Int32) -> Bool { row.integer(column) != 0 }
    public func _$write(_ row: _RowWriter, _ position: Int32) { row.bind(integer: self ? 1 : 0, position) }
    public static var _$zero: Bool { false }
}

extension Double: _StoredValue {
    public static func _$read(_ row: _RowReader, _ column: Int32) -> Double { row.double(column) }
    public func _$write(_ row: _RowWriter, _ position: Int32) { row.bind(double: self, position) }
    public static var _$zero: Double { 0 }
}

extension Float: _StoredValue {
    public static func _$read(_ row: _RowReader, _ column: Int32) -> Float { Float(row.double(column)) }
    public func _$write(_ row: _RowWriter, _ position: Int32) { row.bind(double: Double(self), position) }
    public static var _$zero: Float { 0 }
}

extension CGFloat: _StoredValue {
    public static func _$read(_ row: _RowReader, _ column: Int32) -> CGFloat { CGFloat(row.double(column)) }
    public func _$write(_ row: _RowWriter, _ position: Int32) { row.bind(double: Double(self), position) }
    public static var _$zero: CGFloat { 0 }
}

extension Date: _StoredValue {
    public static func _$read(_ row: _RowReader, _ column: Int32) -> Date { Date(timeIntervalSinceReferenceDate: row.double(column)) }
    public func _$write(_ row: _RowWriter, _ position: Int32) { row.bind(double: timeIntervalSinceReferenceDate, position) }
    public static var _$zero: Date { Date(timeIntervalSinceReferenceDate: 0) }
}

extension UUID: _StoredValue {
    public static func _$read(_ row: _RowReader, _ column: Int32) -> UUID { row.uuid(column) }
    public func _$write(_ row: _RowWriter, _ position: Int32) { row.bind(uuid: self, position) }
    public static var _$zero: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
}

extension Data: _StoredValue {
    public static func _$read(_ row: _RowReader, _ column: Int32) -> Data { row.data(column) }
    public func _$write(_ row: _RowWriter, _ position: Int32) { row.bind(data: self, position) }
    public static var _$zero: Data { Data() }
}

extension URL: _StoredValue {
    /// Any text is a URL of some kind here; a text that Foundation refuses becomes the path of a relative one.
    public static func _$read(_ row: _RowReader, _ column: Int32) -> URL {
        let text = row.text(column)
        return URL(string: text) ?? URL(filePath: text)
    }
    public func _$write(_ row: _RowWriter, _ position: Int32) { row.bind(text: absoluteString, position) }
    public static var _$zero: URL { URL(filePath: "/dev/null") }
}

extension Decimal: _StoredValue {
    public static func _$read(_ row: _RowReader, _ column: Int32) -> Decimal { Decimal(string: row.text(column)) ?? 0 }
    public func _$write(_ row: _RowWriter, _ position: Int32) { row.bind(text: description, position) }
    public static var _$zero: Decimal { 0 }
}
