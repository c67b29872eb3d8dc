import Foundation

extension PredicateExpressions.ForcedUnwrap: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        let input = try translator.term(inner)
        switch input {
        case .constant(let constant):
            if let value = unwrapped(constant) { return .constant(value) }
        case .value(let value) where translator.isPresent(value.sql): return input
        case .row(let row) where translator.isPresent(row.key): return .row(row.unwrapped)
        case .rows: return input
        default: break
        }
        throw SwiftDataError.untranslatable(
            "a forced unwrapping (!), which fails in memory where there is nil,", "use ?., ?? or if let, or ask for != nil before it with &&")
    }
}
