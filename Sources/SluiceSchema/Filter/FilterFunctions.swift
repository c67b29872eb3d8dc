// Functions that statements of filters call, where SQL's own would answer otherwise than Swift. Nothing in a file names them.

import FoundationEssentials
package import SluiceSQLite

/// Functions of ours in SQL. NULL in gives NULL out.
package enum FilterFunctions {
    static let contains = "sluice_contains"
    static let starts = "sluice_starts"
    static let ends = "sluice_ends"
    static let count = "sluice_count"
    static let integer = "sluice_whole"
    static let real = "sluice_number"
    static let sum = "sluice_sum"
    static let total = "sluice_total"
    static let average = "sluice_average"
    /// Bytes that compare as a decimal does; decimals lie in the store as text.
    static let decimal = "sluice_decimal"
    static let decimalTotal = "sluice_decimal_total"
    static let decimalMean = "sluice_decimal_mean"
    /// Case and diacritics fold as Foundation does, which not every program has.
    package static let search = "sluice_search"
    package static let compare = "sluice_case_compare"
    /// The NFC form of a text where it differs from the text.
    package static let shadow = "sluice_shadow"

    /// Makes the functions known to a connection, before anything is asked of it.
    package static func install(on connection: Connection) throws(SQLiteError) {
        try installText(on: connection)
        try connection.register(integer, argumentCount: 3) { call in
            guard !call.isNull(1), !call.isNull(2), let operation = ArithmeticOperation(rawValue: call.integer(0)) else { return .null }
            return SQLiteValue(operation.integer(call.integer(1), call.integer(2), in: .min ... .max))
        }
        try connection.register(real, argumentCount: 3) { call in
            guard let operation = ArithmeticOperation(rawValue: call.integer(0)), let left = number(call.value(1)),
                let right = number(call.value(2))
            else { return .null }
            return PropertyValue.double(operation.real(left, right)).stored
        }
        try connection.register(decimal, argumentCount: 1) { call in
            call.isNull(0) ? .null : Decimal(stored: call.value(0)).map { .blob($0.orderKey) } ?? .null
        }
        try connection.register(decimalTotal, argumentCount: 1, aggregate: DecimalTotal.self)
        try connection.register(decimalMean, argumentCount: 1, aggregate: DecimalMean.self)
        try connection.register(sum, argumentCount: 1, aggregate: WholeSum.self)
        try connection.register(total, argumentCount: 1, aggregate: Total.self)
        try connection.register(average, argumentCount: 1, aggregate: Average.self)
    }

    private static func installText(on connection: Connection) throws(SQLiteError) {
        for (name, test) in [
            (contains, { CharacterSearch.contains($0, $1) }), (starts, { CharacterSearch.starts($0, with: $1) }),
            (ends, { CharacterSearch.ends($0, with: $1) }),
        ] as [(String, (String, String) -> Bool)] {
            try connection.register(name, argumentCount: 2) { call in
                guard call.isText(0), call.isText(1) else { return .null }
                return test(call.text(0), call.text(1)) ? 1 : 0
            }
        }
        try connection.register(count, argumentCount: 1) { call in call.isText(0) ? SQLiteValue(call.text(0).count) : .null }
        try connection.register(shadow, argumentCount: 1) { call in
            call.isText(0) ? SQLiteValue(CanonicalText.shadow(of: call.text(0))) : .null
        }
        for name in [search, compare] {
            try connection.register(name, argumentCount: 2) { _ in throw Unavailable() }
        }
    }

    private static func number(_ value: SQLiteValue) -> Double? {
        if case .double(let number) = PropertyValue(stored: value, as: .double) { number } else { nil }
    }

    /// The program was built without Foundation's tables of letters.
    private struct Unavailable: Error, CustomStringConvertible {
        let description = "localizedStandardContains and caseInsensitiveCompare are not there in helpers: use them in a projection"
    }

    // MARK: Aggregates

    /// Whole numbers; NULL where the sum does not fit.
    private final class WholeSum: SQLAggregate {
        private var sum: Int128 = 0
        func step(_ call: borrowing SQLFunctionCall) { sum += Int128(call.integer(0)) }
        func result() -> SQLiteValue { SQLiteValue(Int64(exactly: sum)) }
    }

    /// Doubles are added up in their order and not in that of the rows, so that the sum is the same to the last bit whichever way SQLite
    /// takes.
    private final class Numbers {
        private var values: [Double] = []
        var count: Int { values.count }

        func add(_ value: SQLiteValue) {
            if let number = number(value) { values.append(number) }
        }

        var total: Double {
            if values.contains(where: \.isNaN) { return .nan }
            return values.sorted().reduce(0, +)
        }
    }

    /// The same for decimals, which round, too, once they have 38 digits.
    private final class Decimals {
        private var values: [Decimal] = []
        var count: Int { values.count }

        func add(_ value: SQLiteValue) {
            if let number = Decimal(stored: value) { values.append(number) }
        }

        var total: Decimal { values.contains(where: \.isNaN) ? .nan : values.sorted().reduce(0, +) }
    }

    private final class DecimalTotal: SQLAggregate {
        private let numbers = Decimals()
        func step(_ call: borrowing SQLFunctionCall) { numbers.add(call.value(0)) }
        func result() -> SQLiteValue { PropertyValue.decimal(numbers.total).stored }
    }

    private final class DecimalMean: SQLAggregate {
        private let numbers = Decimals()
        func step(_ call: borrowing SQLFunctionCall) { numbers.add(call.value(0)) }
        func result() -> SQLiteValue {
            numbers.count == 0 ? .null : PropertyValue.decimal(numbers.total / Decimal(numbers.count)).stored
        }
    }

    private final class Total: SQLAggregate {
        private let numbers = Numbers()
        func step(_ call: borrowing SQLFunctionCall) { numbers.add(call.value(0)) }
        func result() -> SQLiteValue { PropertyValue.double(numbers.total).stored }
    }

    private final class Average: SQLAggregate {
        private let numbers = Numbers()
        func step(_ call: borrowing SQLFunctionCall) { numbers.add(call.value(0)) }
        func result() -> SQLiteValue {
            numbers.count == 0 ? .null : PropertyValue.double(numbers.total / Double(numbers.count)).stored
        }
    }
}
