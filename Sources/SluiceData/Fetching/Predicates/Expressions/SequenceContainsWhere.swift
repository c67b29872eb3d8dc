import Foundation
import SluiceSQLite

extension PredicateExpressions.SequenceContainsWhere: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        let sequence = try translator.term(sequence)
        if case .constant(let constant) = sequence, let elements = constant as? LHS.Output {
            return .of(try translator.combine(elements, test, of: variable, startingWith: Condition(false)) { $0.or($1) })
        }
        guard case .rows(let rows) = sequence else {
            return try translator.compute(sequence, using: test, of: variable) { (elements: LHS.Output, holds) in try elements.contains(where: holds) }
        }
        let source = try rows.source()
        translator.bind(variable, to: .row(source.row))
        let condition = try translator.condition(test)
        if condition.constant == false { return .constant(false) }
        return .of(Condition("(EXISTS (SELECT 1 \(source.filtered(by: condition).from)))", isTotal: true))
    }
}
