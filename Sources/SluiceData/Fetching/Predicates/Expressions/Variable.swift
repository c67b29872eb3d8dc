import Foundation

extension PredicateExpressions.Variable: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm { try translator.term(of: key) }
}
