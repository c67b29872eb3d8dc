import Foundation

extension PredicateExpressions.Filter: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        let sequence = try translator.term(sequence)
        guard case .rows(let rows) = sequence else {
            return try translator.compute(sequence, using: filter, of: variable) { (elements: LHS.Output, holds) in try elements.filter(holds) }
        }
        let (filter, variable) = (filter, variable)
        return .rows(
            RowSet(element: rows.element) {
                let source = try rows.source()
                translator.bind(variable, to: .row(source.row))
                return source.filtered(by: try translator.condition(filter))
            })
    }
}
