import Foundation

extension PredicateExpressions.ExpressionEvaluate: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        guard case .constant(let constant) = try translator.term(expression), let expression = constant as? Transformation.Output else {
            throw SwiftDataError.untranslatable("an expression that is itself stored", "evaluate one that the program has")
        }
        repeat translator.bind(each expression.variable, to: try translator.term(each input))
        return try translator.term(expression.expression)
    }
}
