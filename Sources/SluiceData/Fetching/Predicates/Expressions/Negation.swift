import Foundation

extension PredicateExpressions.Negation: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm { .of(try translator.condition(wrapped).negated) }
}
