import Foundation

extension PredicateExpressions.NilLiteral: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm { .constant(Wrapped?.none as Any) }
}
