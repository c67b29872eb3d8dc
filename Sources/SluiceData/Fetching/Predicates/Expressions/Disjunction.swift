import Foundation

extension PredicateExpressions.Disjunction: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        let left = try translator.condition(lhs)
        if left.constant == true { return .constant(true) }
        return .of(left.or(try translator.assuming(left.presentWhereFalse) { try translator.condition(rhs) }))
    }
}
