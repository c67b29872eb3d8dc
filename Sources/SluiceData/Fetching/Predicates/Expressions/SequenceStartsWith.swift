import Foundation

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        let (text, start) = (try translator.term(base), try translator.term(prefix))
        if Base.Output.self == String.self, Prefix.Output.self == String.self { return .of(try translator.starts(text, with: start)) }
        return try translator.compute(text, start) { (base: Base.Output, prefix: Prefix.Output) in base.starts(with: prefix) }
    }
}
