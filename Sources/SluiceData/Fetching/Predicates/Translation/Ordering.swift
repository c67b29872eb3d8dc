// Less and greater as Swift has them. No operand of `<` is nil in Swift; where a store holds a NULL after all, the comparison does not
// hold.

import Foundation
import SluiceSchema
import SluiceSQLite

extension PredicateTranslator {
    enum Order: String {
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="

        func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
            switch self {
            case .less: left < right
            case .lessOrEqual: left <= right
            case .greater: left > right
            case .greaterOrEqual: left >= right
            }
        }

        var isGreater: Bool { self == .greater || self == .greaterOrEqual }
    }

    /// - Throws: `SwiftDataError.unsupportedPredicate` for what has no order in SQL.
    func compare<Value: Comparable>(_ left: SQLTerm, _ order: Order, _ right: SQLTerm, as type: Value.Type) throws -> Condition {
        if case .identifier = left { throw Self.identifierOrder }
        if case .identifier = right { throw Self.identifierOrder }
        if case .constant(let left) = left, case .constant(let right) = right {
            guard let left = left as? Value, let right = right as? Value else { return Condition(false) }
            return Condition(order.holds(left, right))
        }
        guard let (leftValue, rightValue) = try ordered(left, right, as: type) else {
            return try condition(compute(left, right) { (left: Value, right: Value) in order.holds(left, right) })
        }
        let (leftSQL, rightSQL) = (leftValue.comparison, rightValue.comparison)
        switch leftValue.form.comparison {
        case .real: return compareReal(leftSQL, order, rightSQL)
        case .unsigned:
            let strict = order.isGreater ? "(\(rightSQL) < 0) < (\(leftSQL) < 0)" : "(\(leftSQL) < 0) < (\(rightSQL) < 0)" as SQLFragment
            return Condition("(\(strict) OR ((\(leftSQL) < 0) = (\(rightSQL) < 0) AND \(leftSQL) \(sql: order.rawValue) \(rightSQL)))")
        case .decimal:
            return Condition("(\(decimalKey(leftValue)) \(sql: order.rawValue) \(decimalKey(rightValue)))")
        default: return Condition("(\(leftSQL) \(sql: order.rawValue) \(rightSQL))")
        }
    }

    private static var identifierOrder: SwiftDataError {
        .untranslatable("the order of persistent identifiers", "compare a property that says which model comes first")
    }

    /// Both sides as values whose order in SQL is Swift's; nil where Swift has to compare them.
    private func ordered<Value: Comparable>(_ left: SQLTerm, _ right: SQLTerm, as type: Value.Type) throws -> (ValueTerm, ValueTerm)? {
        switch (left, right) {
        case (.computed, _), (_, .computed): return nil
        case (.value(let left), .constant(let right)):
            guard left.form.isOrdered else { return nil }
            return (left, try literal(right, in: left.form))
        case (.constant(let left), .value(let right)):
            guard right.form.isOrdered else { return nil }
            return (try literal(left, in: right.form), right)
        default:
            let (left, right) = (try value(left, as: type), try value(right, as: type))
            guard left.form.isOrdered, left.form.comparison == right.form.comparison else { return nil }
            return (left, right)
        }
    }

    /// A NaN stands in the column as text, and SQLite finds every text greater than every number.
    private func compareReal(_ left: SQLFragment, _ order: Order, _ right: SQLFragment) -> Condition {
        let greater = order.isGreater ? left : right
        let comparison: SQLFragment = "\(left) \(sql: order.rawValue) \(right)"
        if greater.text == "?", let value = greater.values.first {
            return value.text == nil ? Condition("(\(comparison))") : Condition(false)
        }
        return Condition("(\(comparison) AND typeof(\(greater)) <> 'text')")
    }

    private func decimalKey(_ value: ValueTerm) -> SQLFragment {
        if value.sql.text == "?", let key = value.sql.values.first.flatMap(Decimal.init(stored:))?.orderKey { return "\(bind: .blob(key))" }
        return "\(sql: SQLFunctions.decimal)(\(value.sql))"
    }
}
