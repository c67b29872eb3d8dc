import Foundation
import SluiceSchema

extension PredicateExpressions.Arithmetic: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        let operation: ArithmeticOperation =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            @unknown default: throw SwiftDataError.untranslatable("the operator \(op)", "use +, - or *")
            }
        return try translator.calculate(translator.term(lhs), operation, translator.term(rhs), as: Output.self)
    }
}
