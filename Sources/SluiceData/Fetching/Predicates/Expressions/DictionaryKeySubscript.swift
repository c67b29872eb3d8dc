import Foundation

extension PredicateExpressions.DictionaryKeySubscript: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        try translator.compute(translator.term(wrapped), translator.term(key)) { (values: Wrapped.Output, key: Key.Output) in values[key] }
    }
}
