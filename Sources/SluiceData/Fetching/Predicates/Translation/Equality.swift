// Equality as Swift has it: nil differs from every value and equals nil, text is equal when it is canonically equivalent, a NaN equals
// nothing, −0 equals 0, models are equal when they are one row.

import Foundation
import SluiceSchema
import SluiceSQLite

extension PredicateTranslator {
    /// - Throws: `SwiftDataError.unsupportedPredicate` for what cannot be compared in SQL.
    func equal<Value: Equatable>(_ left: SQLTerm, _ right: SQLTerm, as type: Value.Type) throws -> Condition {
        switch (left, right) {
        case (.constant(let left), .constant(let right)):
            guard let left = typed(unwrapped(left), as: type), let right = typed(unwrapped(right), as: type) else { return Condition(false) }
            return Condition(left == right)
        case (.constant(let constant), let other), (let other, .constant(let constant)):
            guard let value = unwrapped(constant) else { return try absence(of: other) }
            return try equal(other, value, as: type)
        case (.row(let left), .row(let right)), (.identifier(let left), .identifier(let right)): return sameRow(left, right)
        default: return try equalValues(left, right, as: type)
        }
    }

    // MARK: With nil

    /// Holds where the expression is nil.
    func absence(of term: SQLTerm) throws -> Condition {
        switch term {
        case .constant(let constant): return Condition(unwrapped(constant) == nil)
        case .value(let value), .external(_, let value):
            var absence = absence(of: value.sql)
            absence.presentWhereFalse = value.causes
            return absence
        case .computed(let computed):
            let call = calls.add { computed.body($0) == nil ? .null : 1 }
            return absence(of: "\(sql: SQLFunctions.call)(\(([.init("?", [call])] + computed.arguments).joined(by: ", ")))")
        case .condition, .range, .search: return Condition(false)
        case .optionalCondition(let presence, _): return presence.negated
        case .row(let row), .identifier(let row): return row.presence.negated
        // A to-many relationship of optional type is empty, never nil, once its model is in a store.
        case .rows: return Condition(false)
        }
    }

    private func absence(of sql: SQLFragment) -> Condition {
        Condition("(\(sql) IS NULL)", isTotal: true, opposite: "(\(sql) IS NOT NULL)")
    }

    // MARK: With a value that is known

    private func equal<Value: Equatable>(_ term: SQLTerm, _ constant: Any, as type: Value.Type) throws -> Condition {
        switch term {
        case .condition(let condition):
            return constant as? Bool == true ? condition : condition.negated
        case .optionalCondition(let presence, let condition):
            return presence.and(constant as? Bool == true ? condition : condition.negated)
        case .identifier(let row):
            guard let identifier = constant as? PersistentIdentifier else { return Condition(false) }
            return same(row, as: identifier)
        case .row(let row):
            guard let model = constant as? any PersistentModel else { return Condition(false) }
            return same(row, as: model.persistentModelID)
        case .value(let value) where isComparable(value.form, with: constant):
            let literal = try literal(constant, in: value.form)
            // A NaN, whatever its sign, equals nothing.
            if value.form.comparison == .real, literal.sql.values.first?.text != nil { return Condition(false) }
            var condition = Condition(
                "(\(value.comparison) = \(literal.comparison))", opposite: "(\(value.comparison) IS NOT \(literal.comparison))")
            condition.presentWhereTrue = value.causes
            return condition
        case .computed, .value: return try equalBySwift(term, .constant(constant), as: type)
        case .rows: throw SwiftDataError.untranslatable("a comparison of whole relationships", "ask what its models have with contains(where:)")
        case .range, .search, .constant, .external: return try equalBySwift(term, .constant(constant), as: type)
        }
    }

    private func isComparable(_ form: ColumnForm, with constant: Any) -> Bool {
        switch form.comparison {
        case .opaque: false
        // A relative URL equals no absolute one, though both lead to one place.
        case .address: (constant as? URL)?.baseURL == nil
        default: true
        }
    }

    // MARK: Of two expressions

    private func equalValues<Value: Equatable>(_ left: SQLTerm, _ right: SQLTerm, as type: Value.Type) throws -> Condition {
        if case .computed = left { return try equalBySwift(left, right, as: type) }
        if case .computed = right { return try equalBySwift(left, right, as: type) }
        let (leftValue, rightValue) = (try value(left, as: type), try value(right, as: type))
        guard leftValue.form.comparison == rightValue.form.comparison, leftValue.form.comparison != .opaque else {
            return try equalBySwift(left, right, as: type)
        }
        let (leftSQL, rightSQL) = (leftValue.comparison, rightValue.comparison)
        // Two NaNs are one text to SQL.
        let guardSQL: SQLFragment = leftValue.form.comparison == .real ? " AND typeof(\(leftSQL)) <> 'text'" : ""
        return Condition("(\(leftSQL) IS \(rightSQL)\(guardSQL))", isTotal: true)
    }

    private func equalBySwift<Value: Equatable>(_ left: SQLTerm, _ right: SQLTerm, as type: Value.Type) throws -> Condition {
        try condition(compute(left, right) { (left: Value, right: Value) in left == right })
    }

    // MARK: Models

    private func sameRow(_ left: RowTerm, _ right: RowTerm) -> Condition {
        guard left.binding.tableID == right.binding.tableID else {
            return left.presence.negated.and(right.presence.negated)
        }
        return Condition("(\(left.key) IS \(right.key))", isTotal: true)
    }

    /// Whether it is the row that an identifier names.
    func same(_ row: RowTerm, as identifier: PersistentIdentifier) -> Condition {
        guard let key = key(of: identifier, in: row.binding) else { return Condition(false) }
        var condition = Condition("(\(row.key) = \(bind: .integer(key)))", opposite: "(\(row.key) IS NOT \(bind: .integer(key)))")
        condition.presentWhereTrue = [row.key]
        return condition
    }

    /// The key of the row that an identifier names; nil where it names no row of the binding's table.
    func key(of identifier: PersistentIdentifier, in binding: EntityBinding) -> Int64? {
        guard let key = identifier.rowKey, identifier.storeIdentifier == binding.store.identifier else { return nil }
        let table = binding.store.layout.table(of: binding.entity).name
        let isOfTable = identifier.rootEntityName == table || schema.binding(named: identifier.entityName)?.tableID == binding.tableID
        return isOfTable ? key : nil
    }
}
