import Foundation
import SluiceSchema
import SluiceSQLite

/// A type whose values lie in a column as they are.
protocol ColumnScalar {
    static var comparison: ColumnForm.Comparison { get }
    /// Whether SQL's order of the column is the type's own.
    static var isOrdered: Bool { get }
    init?(stored value: SQLiteValue)
    var stored: SQLiteValue { get }
}

extension ColumnScalar {
    static var isOrdered: Bool { true }
}

extension String: ColumnScalar {
    static var comparison: ColumnForm.Comparison { .text }
    init?(stored value: SQLiteValue) {
        guard let text = value.text else { return nil }
        self = text
    }
    var stored: SQLiteValue { .text(self) }
}

extension Bool: ColumnScalar {
    static var comparison: ColumnForm.Comparison { .boolean }
    static var isOrdered: Bool { false }
    init?(stored value: SQLiteValue) {
        guard let number = value.integer else { return nil }
        self = number != 0
    }
    var stored: SQLiteValue { .integer(self ? 1 : 0) }
}

extension ColumnScalar where Self: FixedWidthInteger {
    /// The largest unsigned numbers keep their bits and read as negative in SQL.
    static var comparison: ColumnForm.Comparison { isSigned || bitWidth < 64 ? .integer : .unsigned }
    init?(stored value: SQLiteValue) {
        guard let number = value.integer else { return nil }
        self.init(truncatingIfNeeded: number)
    }
    var stored: SQLiteValue { .integer(Int64(truncatingIfNeeded: self)) }
}

extension Int: ColumnScalar {}
extension Int8: ColumnScalar {}
extension Int16: ColumnScalar {}
extension Int32: ColumnScalar {}
extension Int64: ColumnScalar {}
extension UInt: ColumnScalar {}
extension UInt8: ColumnScalar {}
extension UInt16: ColumnScalar {}
extension UInt32: ColumnScalar {}
extension UInt64: ColumnScalar {}

extension Double: ColumnScalar {
    static var comparison: ColumnForm.Comparison { .real }
    init?(stored value: SQLiteValue) {
        guard case .double(let number) = PropertyValue(stored: value, as: .double) else { return nil }
        self = number
    }
    var stored: SQLiteValue { PropertyValue.double(self).stored }
}

extension Float: ColumnScalar {
    static var comparison: ColumnForm.Comparison { .real }
    init?(stored value: SQLiteValue) {
        guard let number = Double(stored: value) else { return nil }
        self.init(number)
    }
    var stored: SQLiteValue { Double(self).stored }
}

extension CGFloat: ColumnScalar {
    static var comparison: ColumnForm.Comparison { .real }
    init?(stored value: SQLiteValue) {
        guard let number = Double(stored: value) else { return nil }
        self.init(number)
    }
    var stored: SQLiteValue { Double(self).stored }
}

extension Date: ColumnScalar {
    static var comparison: ColumnForm.Comparison { .real }
    init?(stored value: SQLiteValue) {
        guard let seconds = Double(stored: value) else { return nil }
        self.init(timeIntervalSinceReferenceDate: seconds)
    }
    var stored: SQLiteValue { timeIntervalSinceReferenceDate.stored }
}

extension UUID: ColumnScalar {
    static var comparison: ColumnForm.Comparison { .bytes }
    init?(stored value: SQLiteValue) {
        guard case .uuid(let uuid) = PropertyValue(stored: value, as: .uuid) else { return nil }
        self = uuid
    }
    var stored: SQLiteValue { PropertyValue.uuid(self).stored }
}

extension Data: ColumnScalar {
    static var comparison: ColumnForm.Comparison { .bytes }
    static var isOrdered: Bool { false }
    init?(stored value: SQLiteValue) {
        guard let bytes = value.blob else { return nil }
        self = bytes
    }
    var stored: SQLiteValue { .blob(self) }
}

extension URL: ColumnScalar {
    static var comparison: ColumnForm.Comparison { .address }
    static var isOrdered: Bool { false }
    init?(stored value: SQLiteValue) {
        guard let text = value.text else { return nil }
        self = URL(string: text) ?? URL(filePath: text)
    }
    var stored: SQLiteValue { .text(absoluteString) }
}

extension Decimal: ColumnScalar {
    static var comparison: ColumnForm.Comparison { .decimal }
    var stored: SQLiteValue { .text(description) }
}
