import Foundation

extension PredicateExpressions.Value: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm { .constant(value) }
}
