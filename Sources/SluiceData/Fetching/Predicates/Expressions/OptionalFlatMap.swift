import Foundation

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        let input = try translator.term(wrapped)
        switch input {
        case .constant(let constant):
            guard let value = unwrapped(constant) else { return .constant(Result?.none as Any) }
            translator.bind(variable, to: .constant(value))
            return try translator.term(transform)
        case .value(let value):
            translator.bind(variable, to: input)
            let result = try translator.assuming(value.causes) { try translator.term(transform) }
            return try translator.term(result, whereNotNil: input, as: Output.self)
        case .row(let row):
            translator.bind(variable, to: .row(row.unwrapped))
            let result = try translator.assuming([row.key]) { try translator.term(transform) }
            return try translator.term(result, whereNotNil: input, as: Output.self)
        case .optionalCondition(_, let condition):
            translator.bind(variable, to: .condition(condition))
            return try translator.term(translator.term(transform), whereNotNil: input, as: Output.self)
        case .computed, .external:
            translator.bind(variable, to: input)
            return try translator.term(translator.term(transform), whereNotNil: input, as: Output.self)
        case .condition, .rows, .identifier, .range, .search:
            translator.bind(variable, to: input)
            return try translator.term(transform)
        }
    }
}
