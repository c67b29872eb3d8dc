import Foundation
import SluiceSchema

extension PredicateExpressions.IntRemainder: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        try translator.calculate(translator.term(lhs), .remainder, translator.term(rhs), as: Output.self)
    }
}
