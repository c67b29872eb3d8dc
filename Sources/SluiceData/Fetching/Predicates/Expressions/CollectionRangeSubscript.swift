import Foundation

extension PredicateExpressions.CollectionRangeSubscript: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        let collection = try translator.term(wrapped)
        guard case .range(let bounds) = try translator.term(range), let lower = bounds.lower, let upper = bounds.upper else {
            return try translator.compute(collection, translator.term(range)) { (collection: Wrapped.Output, range: Range.Output) in
                Self.part(of: collection, range.lowerBound, range.upperBound)
            }
        }
        let from = try translator.compute(lower, upper) { (lower: Wrapped.Output.Index, upper: Wrapped.Output.Index) in
            lower <= upper ? lower..<upper : nil
        }
        return try translator.compute(collection, from) { (collection: Wrapped.Output, range: Range.Output) in
            Self.part(of: collection, range.lowerBound, range.upperBound)
        }
    }

    /// nil out of bounds.
    private static func part(of collection: Wrapped.Output, _ lower: Wrapped.Output.Index, _ upper: Wrapped.Output.Index) -> Output? {
        collection.startIndex <= lower && lower <= upper && upper <= collection.endIndex ? collection[lower..<upper] : nil
    }
}
