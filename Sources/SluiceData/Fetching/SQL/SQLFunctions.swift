// The functions that statements of fetches call. Nothing in the file names them.

import Foundation
import SluiceSchema
import SluiceSQLite
import SluiceStore

/// Functions of ours in SQL. NULL in gives NULL out.
enum SQLFunctions {
    static let call = "sluice_call"
    static let contains = "sluice_contains"
    static let starts = "sluice_starts"
    static let count = "sluice_count"
    static let normal = "sluice_nfc"
    static let search = "sluice_search"
    static let order = "sluice_order"
    static let decimal = "sluice_decimal"
    static let decimalSum = "sluice_decimal_sum"
    static let decimalAverage = "sluice_decimal_average"
    static let decimalLeast = "sluice_decimal_least"
    static let decimalGreatest = "sluice_decimal_greatest"
    static let required = "sluice_required"
    static let integer = "sluice_integer"
    static let real = "sluice_real"

    /// Makes the functions known to a connection, before anything is fetched on it.
    static func install(on connection: Connection) throws {
        try connection.register(call, argumentCount: nil) { call in
            guard let closure = call.prepared(0, as: SwiftCalls.Closure.self, { SwiftCalls.closure(call.integer(0)) }) else {
                throw SwiftCalls.Missing()
            }
            return closure.call((1..<call.count).map { call.value($0) })
        }
        try installText(on: connection)
        try installDecimals(on: connection)
        try connection.register(required, argumentCount: 1) { call in
            guard !call.isNull(0) else { throw MissingValue() }
            return call.value(0)
        }
        try connection.register(integer, argumentCount: 5) { call in
            guard !call.isNull(1), !call.isNull(2), let operation = ArithmeticOperation(rawValue: call.integer(0)) else { return .null }
            return operation.integer(call.integer(1), call.integer(2), in: call.integer(3)...call.integer(4)).map(SQLiteValue.integer) ?? .null
        }
        try connection.register(real, argumentCount: 4) { call in
            guard let operation = ArithmeticOperation(rawValue: call.integer(0)), let left = real(call.value(1)), let right = real(call.value(2)) else { return .null }
            let isSingle = call.integer(3) == 1
            return PropertyValue.double(isSingle ? Double(operation.real(Float(left), Float(right))) : operation.real(left, right)).stored
        }
    }

    private static func real(_ value: SQLiteValue) -> Double? {
        if case .double(let number) = PropertyValue(stored: value, as: .double) { number } else { nil }
    }

    /// A statement worked out no value where there must be one.
    struct MissingValue: Error, CustomStringConvertible {
        static let message = "no value could be worked out"
        var description: String { Self.message }
    }

    private static func installDecimals(on connection: Connection) throws {
        try connection.register(decimal, argumentCount: 1) { call in
            call.isNull(0) ? .null : Decimal(stored: call.value(0)).map { .blob($0.orderKey) } ?? .null
        }
        try connection.register(decimalSum, argumentCount: 1, aggregate: DecimalSum.self)
        try connection.register(decimalAverage, argumentCount: 1, aggregate: DecimalAverage.self)
        try connection.register(decimalLeast, argumentCount: 1, aggregate: DecimalLeast.self)
        try connection.register(decimalGreatest, argumentCount: 1, aggregate: DecimalGreatest.self)
    }

    private static func installText(on connection: Connection) throws {
        try connection.register(contains, argumentCount: 2) { call in
            guard !call.isNull(0), !call.isNull(1) else { return .null }
            return CharacterSearch.contains(call.text(0), call.text(1)) ? 1 : 0
        }
        try connection.register(starts, argumentCount: 2) { call in
            guard !call.isNull(0), !call.isNull(1) else { return .null }
            return CharacterSearch.starts(call.text(0), with: call.text(1)) ? 1 : 0
        }
        try connection.register(count, argumentCount: 1) { call in call.isNull(0) ? .null : SQLiteValue(call.text(0).count) }
        try connection.register(normal, argumentCount: 1) { call in call.isNull(0) ? .null : .text(CanonicalText.nfc(call.text(0))) }
        try connection.register(search, argumentCount: 2) { call in
            guard !call.isNull(0), !call.isNull(1), let search = call.prepared(1, as: FoldedSearch.self, { FoldedSearch(call.text(1)) }) else { return .null }
            return call.withText(0) { search.isFound(in: $0) } ? 1 : 0
        }
        try connection.register(order, argumentCount: 2) { call in
            guard !call.isNull(1), let order = TextOrder(rawValue: call.integer(0)) else { return .null }
            return .blob(Data(order.key(of: call.text(1)).bytes))
        }
    }
}
