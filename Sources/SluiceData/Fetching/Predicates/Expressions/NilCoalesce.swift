import Foundation

extension PredicateExpressions.NilCoalesce: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        let left = try translator.term(lhs)
        switch left {
        case .constant(let constant):
            if let value = unwrapped(constant) { return .constant(value) }
            return try translator.term(rhs)
        case .rows, .condition, .range, .search: return left
        case .optionalCondition(let presence, let condition):
            let right = try translator.condition(translator.term(rhs))
            return .of(presence.and(condition).or(presence.negated.and(right)))
        case .value, .external, .computed, .row, .identifier:
            let absence = try translator.absence(of: left)
            return try translator.choose(try translator.term(rhs), where: absence, else: left, as: Output.self)
        }
    }
}
