import Foundation
import SluiceSQLite

extension PredicateExpressions.SequenceContains: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        let element = try translator.term(element)
        switch try translator.term(sequence) {
        case .constant(let constant):
            // A range is a sequence too, of more elements than anybody wants to list.
            if let range = constant as? any BoundedRange, let bound = RHS.Output.self as? any Comparable.Type {
                return .of(try translator.isIn(range.term, element, asAny: bound))
            }
            guard let elements = constant as? LHS.Output else { return .constant(false) }
            return .of(try translator.isMember(element, of: Array(elements)))
        case .rows(let rows):
            guard case .row(let row) = element else {
                throw SwiftDataError.untranslatable("contains of a relationship", "name a model that the predicate reaches, or use contains(where:)")
            }
            let source = try rows.source()
            let isMember = Condition("(\(source.row.key) = \(row.key))")
            return .of(Condition("(EXISTS (SELECT 1 \(source.filtered(by: isMember).from)))", isTotal: true))
        case .search(let text):
            guard case .search(let search) = element else { return .constant(false) }
            return .of(try translator.finds(search, in: text))
        case .range(let range):
            guard let bound = RHS.Output.self as? any Comparable.Type else { return .constant(false) }
            return .of(try translator.isIn(range, element, asAny: bound))
        case let sequence:
            return try translator.compute(sequence, element) { (sequence: LHS.Output, element: RHS.Output) in sequence.contains(element) }
        }
    }
}
