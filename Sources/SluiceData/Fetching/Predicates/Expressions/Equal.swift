import Foundation

extension PredicateExpressions.Equal: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        .of(try translator.equal(translator.term(lhs), translator.term(rhs), as: LHS.Output.self))
    }
}
