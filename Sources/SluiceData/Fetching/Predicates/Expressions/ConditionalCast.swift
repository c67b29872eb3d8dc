import Foundation

extension PredicateExpressions.ConditionalCast: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        let input = try translator.term(input)
        switch input {
        case .constant: return .constant(try evaluate(translator.constants) as Any)
        case .row(let row):
            guard let model = Desired.self as? any PersistentModel.Type else { break }
            return .row(try translator.cast(row, to: model))
        default: break
        }
        throw SwiftDataError.untranslatable("\(Input.Output.self) as? \(Desired.self)", "only a model can be cast, to a class of its hierarchy")
    }
}
