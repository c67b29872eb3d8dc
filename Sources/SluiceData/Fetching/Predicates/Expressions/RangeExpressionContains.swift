import Foundation

extension PredicateExpressions.RangeExpressionContains: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        let element = try translator.term(element)
        let range = try translator.term(range)
        if case .range(let bounds) = range { return .of(try translator.isIn(bounds, element, as: RangeExpression.Output.Bound.self)) }
        if case .constant(let constant) = range, let bounds = constant as? any BoundedRange {
            return .of(try translator.isIn(bounds.term, element, as: RangeExpression.Output.Bound.self))
        }
        return try translator.compute(range, element) { (range: RangeExpression.Output, element: RangeExpression.Output.Bound) in
            range.contains(element)
        }
    }
}
