import Foundation

extension PredicateExpressions.Comparison: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        let order: PredicateTranslator.Order =
            switch op {
            case .lessThan: .less
            case .lessThanOrEqual: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqual: .greaterOrEqual
            @unknown default: throw SwiftDataError.untranslatable("the comparison \(op)", "use <, <=, > or >=")
            }
        return .of(try translator.compare(translator.term(lhs), order, translator.term(rhs), as: LHS.Output.self))
    }
}
