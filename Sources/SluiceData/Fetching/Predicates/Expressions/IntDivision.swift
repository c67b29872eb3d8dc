import Foundation
import SluiceSchema

extension PredicateExpressions.IntDivision: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        try translator.calculate(translator.term(lhs), .divide, translator.term(rhs), as: Output.self)
    }
}
