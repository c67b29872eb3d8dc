package import Foundation

/// One value that a statement is given. Everything goes over the wire in binary form, with its type.
package enum PostgreSQLValue: Hashable, Sendable {
    /// Of whatever type the statement expects at its place.
    case null
    /// `bigint`
    case integer(Int64)
    /// `text`
    case text(String)
    /// `bytea`
    case bytes(Data)
    /// `bigint[]`, for `= ANY($n)`: one statement for any number of values.
    case integers([Int64])

    /// The type's number in every PostgreSQL's catalog; 0 lets the server infer it.
    var type: UInt32 {
        switch self {
        case .null: 0
        case .integer: 20
        case .text: 25
        case .bytes: 17
        case .integers: 1016
        }
    }
}

/// The bytes of a statement's values, one after the other, as libpq wants them.
struct PostgreSQLParameters {
    private(set) var bytes: [UInt8] = []
    /// Where each value's bytes are; nil for NULL.
    private(set) var ranges: [Range<Int>?] = []

    /// - Throws: `.textWithNUL`.
    init(_ values: [PostgreSQLValue]) throws(PostgreSQLError) {
        ranges.reserveCapacity(values.count)
        for value in values {
            let start = bytes.count
            switch value {
            case .null:
                ranges.append(nil)
                continue
            case .integer(let integer): append(integer)
            case .text(let text):
                bytes.append(contentsOf: text.utf8)
                if bytes[start...].contains(0) { throw .textWithNUL }
            case .bytes(let data): bytes.append(contentsOf: data)
            case .integers(let integers): append(integers)
            }
            ranges.append(start..<bytes.count)
        }
    }

    private mutating func append(_ integer: some FixedWidthInteger) {
        withUnsafeBytes(of: integer.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// One dimension, no NULL, the elements' type; its length and first index; then each element with its length.
    private mutating func append(_ integers: [Int64]) {
        append(Int32(integers.isEmpty ? 0 : 1))
        append(Int32(0))
        append(Int32(20))
        guard !integers.isEmpty else { return }
        append(Int32(integers.count))
        append(Int32(1))
        for integer in integers {
            append(Int32(8))
            append(integer)
        }
    }
}
