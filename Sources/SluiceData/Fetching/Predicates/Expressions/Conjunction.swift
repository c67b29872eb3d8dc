import Foundation

extension PredicateExpressions.Conjunction: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        let left = try translator.condition(lhs)
        // As in Swift, what follows something false is not looked at, and relies on what precedes it.
        if left.constant == false { return .constant(false) }
        return .of(left.and(try translator.assuming(left.presentWhereTrue) { try translator.condition(rhs) }))
    }
}
