import Foundation

extension PredicateExpressions.ForceCast: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        let input = try translator.term(input)
        switch input {
        case .constant: return .constant(try evaluate(translator.constants))
        case .row(let row):
            guard let model = Desired.self as? any PersistentModel.Type else { break }
            let cast = try translator.cast(row, to: model)
            if cast.presence.constant == true || translator.isPresent(cast.key) { return .row(cast.unwrapped) }
        default: break
        }
        throw SwiftDataError.untranslatable(
            "\(Input.Output.self) as! \(Desired.self), which fails in memory for another class,", "use as?, or ask with `is` before it and &&")
    }
}
