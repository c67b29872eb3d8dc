import Foundation
import SluiceSchema

extension PredicateExpressions.UnaryMinus: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        // −1 times rather than 0 minus: the negative of 0 is −0.
        try translator.calculate(.constant(Output(exactly: -1) as Any), .multiply, translator.term(wrapped), as: Output.self)
    }
}
