import Foundation

extension PredicateExpressions.CollectionIndexSubscript: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        try translator.compute(translator.term(wrapped), translator.term(index)) { (collection: Wrapped.Output, index: Index.Output) -> Output? in
            // In memory an index out of bounds throws; in a statement it makes the comparison it stands in false.
            collection.startIndex <= index && index < collection.endIndex ? collection[index] : nil
        }
    }
}
