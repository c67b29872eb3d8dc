import Foundation

extension PredicateExpressions.Conditional: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        let test = try translator.condition(test)
        if let holds = test.constant { return holds ? try translator.term(trueBranch) : try translator.term(falseBranch) }
        let left = try translator.assuming(test.presentWhereTrue) { try translator.term(trueBranch) }
        let right = try translator.assuming(test.presentWhereFalse) { try translator.term(falseBranch) }
        return try translator.choose(left, where: test, else: right, as: Output.self)
    }
}
