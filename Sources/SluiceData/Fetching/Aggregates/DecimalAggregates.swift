// Decimals lie in the store as text. SQL would add them up as doubles, and compare them letter by letter.

import Foundation
import SluiceSchema
import SluiceSQLite

/// Adds decimals up.
final class DecimalSum: SQLAggregate {
    fileprivate var sum = Decimal(0)
    fileprivate var count = 0

    func step(_ call: borrowing SQLFunctionCall) {
        guard !call.isNull(0), let number = Decimal(stored: call.value(0)) else { return }
        sum += number
        count += 1
    }

    func result() -> SQLiteValue { sum.stored }
}

final class DecimalAverage: SQLAggregate {
    private let sum = DecimalSum()

    func step(_ call: borrowing SQLFunctionCall) { sum.step(call) }
    func result() -> SQLiteValue { sum.count == 0 ? .null : (sum.sum / Decimal(sum.count)).stored }
}

final class DecimalLeast: SQLAggregate {
    private var least: Decimal?

    func step(_ call: borrowing SQLFunctionCall) {
        guard !call.isNull(0), let number = Decimal(stored: call.value(0)), !number.isNaN else { return }
        least = least.map { min($0, number) } ?? number
    }

    func result() -> SQLiteValue { least?.stored ?? .null }
}

final class DecimalGreatest: SQLAggregate {
    private var greatest: Decimal?

    func step(_ call: borrowing SQLFunctionCall) {
        guard !call.isNull(0), let number = Decimal(stored: call.value(0)), !number.isNaN else { return }
        greatest = greatest.map { max($0, number) } ?? number
    }

    func result() -> SQLiteValue { greatest?.stored ?? .null }
}
