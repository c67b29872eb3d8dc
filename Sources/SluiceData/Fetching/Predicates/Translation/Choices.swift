// One of two expressions, and expressions that are nil where another is.

import Foundation
import SluiceSQLite

extension PredicateTranslator {
    /// - Throws: `SwiftDataError.unsupportedPredicate` for branches that SQL cannot bring together.
    func choose(_ first: SQLTerm, where test: Condition, else second: SQLTerm, as type: any Any.Type) throws -> SQLTerm {
        if let holds = test.constant { return holds ? first : second }
        switch (first, second) {
        case (.row(let first), .row(let second)) where first.binding.tableID == second.binding.tableID:
            return .row(RowTerm(.key(choice(first.key, test, second.key)), first.binding))
        case (.row(let row), .constant(let constant)) where unwrapped(constant) == nil: return .row(RowTerm(.key(choice(row.key, test, "NULL")), row.binding))
        case (.constant(let constant), .row(let row)) where unwrapped(constant) == nil: return .row(RowTerm(.key(choice("NULL", test, row.key)), row.binding))
        case (.identifier(let first), .identifier(let second)) where first.binding.tableID == second.binding.tableID:
            return .identifier(RowTerm(.key(choice(first.key, test, second.key)), first.binding))
        default: break
        }
        if type == Bool.self {
            let (first, second) = (try condition(first), try condition(second))
            return .of(test.and(first).or(test.negated.and(second)))
        }
        return try chooseValue(first, where: test, else: second, as: type)
    }

    private func chooseValue(_ first: SQLTerm, where test: Condition, else second: SQLTerm, as type: any Any.Type) throws -> SQLTerm {
        let (firstValue, secondValue) = (try value(first, like: second, as: type), try value(second, like: first, as: type))
        if firstValue.form.comparison == secondValue.form.comparison, firstValue.form.type == secondValue.form.type {
            return .value(
                ValueTerm(
                    choice(firstValue.sql, test, secondValue.sql), comparison: choice(firstValue.comparison, test, secondValue.comparison),
                    form: firstValue.form))
        }
        // The same type lies in two forms, as a property marked `.codable` does: Swift reads both.
        let (first, second) = (try computed(first), try computed(second))
        let (firstEnd, secondEnd) = (1 + first.arguments.count, 1 + first.arguments.count + second.arguments.count)
        return .computed(
            ComputedTerm([test.value] + first.arguments + second.arguments) { arguments in
                arguments[0].integer == 1 ? first.body(Array(arguments[1..<firstEnd])) : second.body(Array(arguments[firstEnd..<secondEnd]))
            })
    }

    /// A constant takes the form of what it meets.
    private func value(_ term: SQLTerm, like other: SQLTerm, as type: any Any.Type) throws -> ValueTerm {
        if case .constant(let constant) = term, case .value(let other) = other { return try literal(constant, in: other.form) }
        return try value(term, as: type)
    }

    private func choice(_ first: SQLFragment, _ test: Condition, _ second: SQLFragment) -> SQLFragment {
        "iif(\(test.sql), \(first), \(second))"
    }

    // MARK: Optionals

    /// `result`, and nil where `input` is nil, of which the result was made.
    func term(_ result: SQLTerm, whereNotNil input: SQLTerm, as type: any Any.Type) throws -> SQLTerm {
        let presence = try absence(of: input).negated
        if presence.constant == true { return result }
        switch result {
        case .condition(let condition): return .optionalCondition(presence: presence, condition)
        case .optionalCondition(let inner, let condition): return .optionalCondition(presence: presence.and(inner), condition)
        case .constant(let constant as Bool): return .optionalCondition(presence: presence, Condition(constant))
        case .constant(let constant):
            guard unwrapped(constant) != nil else { return result }
            return .value(present(try value(result, as: type), where: presence, input))
        case .value(let value):
            return value.causes.isDisjoint(with: causes(of: input)) ? .value(present(value, where: presence, input)) : result
        case .external(let property, let value):
            guard value.causes.isDisjoint(with: causes(of: input)) else { return result }
            return .external(property: property, present(value, where: presence, input))
        case .computed(let computed):
            return .computed(
                ComputedTerm([presence.value] + computed.arguments) { arguments in
                    arguments[0].integer == 1 ? computed.body(Array(arguments.dropFirst())) : nil
                })
        case .row(let row):
            return row.causes.isDisjoint(with: causes(of: input)) ? .row(present(row, where: presence, input)) : result
        case .identifier(let row):
            return row.causes.isDisjoint(with: causes(of: input)) ? .identifier(present(row, where: presence, input)) : result
        case .rows, .range, .search: return result
        }
    }

    private func present(_ value: ValueTerm, where presence: Condition, _ input: SQLTerm) -> ValueTerm {
        ValueTerm(
            choice(value.sql, presence, "NULL"), comparison: choice(value.comparison, presence, "NULL"), form: value.form, causes: causes(of: input))
    }

    private func present(_ row: RowTerm, where presence: Condition, _ input: SQLTerm) -> RowTerm {
        RowTerm(.key(choice(row.key, presence, "NULL")), row.binding, causes: causes(of: input))
    }

    /// Expressions that are NULL only where the term is nil.
    private func causes(of term: SQLTerm) -> Set<SQLFragment> {
        switch term {
        case .value(let value): [value.sql]
        case .row(let row) where row.isOfClass == nil: [row.key]
        default: []
        }
    }
}
