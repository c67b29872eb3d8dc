import Foundation

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        let (text, search) = (try translator.term(base), try translator.term(other))
        if Base.Output.self == String.self, Other.Output.self == String.self { return .of(try translator.contains(text, search)) }
        return try translator.compute(text, search) { (base: Base.Output, other: Other.Output) in base.contains(other) }
    }
}
