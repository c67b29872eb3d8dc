import Foundation

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        let found = try translator.compute(translator.term(wrapped), translator.term(key)) { (values: Wrapped.Output, key: Key.Output) in values[key] }
        if case .constant(let constant) = found, let value = unwrapped(constant) { return .constant(value) }
        return try translator.choose(translator.term(`default`), where: translator.absence(of: found), else: found, as: Output.self)
    }
}
