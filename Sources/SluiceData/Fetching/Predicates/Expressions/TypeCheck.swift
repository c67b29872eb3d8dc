import Foundation

extension PredicateExpressions.TypeCheck: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        let input = try translator.term(input)
        switch input {
        case .constant: return .constant(try evaluate(translator.constants))
        case .row(let row):
            guard let model = Desired.self as? any PersistentModel.Type else { break }
            var isKind = try translator.isKind(row, of: model)
            // What makes a forced cast behind it safe.
            isKind.presentWhereTrue.insert(try translator.cast(row, to: model).key)
            return .of(isKind)
        default: break
        }
        throw SwiftDataError.untranslatable("\(Input.Output.self) is \(Desired.self)", "only the class of a model can be asked for")
    }
}
