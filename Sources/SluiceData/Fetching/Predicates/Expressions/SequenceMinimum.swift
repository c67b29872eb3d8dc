import Foundation

extension PredicateExpressions.SequenceMinimum: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        try translator.compute(translator.term(elements)) { (elements: Elements.Output) in elements.min() }
    }
}
