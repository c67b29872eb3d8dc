// Integers share one column type, 64 bits wide. An unsigned 64-bit value keeps its bits: the largest ones read as negative in SQL.

/// An integer that a column holds.
public protocol _StoredInteger: _StoredValue, FixedWidthInteger {}

extension _StoredInteger {
    public static func _$read(_ row: _RowReader, _ column: Int32) -> Self { Self(truncatingIfNeeded: row.integer(column)) }
    public func _$write(_ row: _RowWriter, _ position: Int32) { row.bind(integer: Int64(truncatingIfNeeded: self), position) }
    public static var _$zero: Self { 0 }
}

extension Int: _StoredInteger {}
extension Int8: _StoredInteger {}
extension Int16: _StoredInteger {}
extension Int32: _StoredInteger {}
extension Int64: _StoredInteger {}
extension UInt: _StoredInteger {}
extension UInt8: _StoredInteger {}
extension UInt16: _StoredInteger {}
extension UInt32: _StoredInteger {}
extension UInt64: _StoredInteger {}
