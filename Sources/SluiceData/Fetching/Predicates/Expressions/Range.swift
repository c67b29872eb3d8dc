import Foundation

extension PredicateExpressions.Range: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        .range(RangeTerm(lower: try translator.term(lower), upper: try translator.term(upper), includesUpper: false))
    }
}
