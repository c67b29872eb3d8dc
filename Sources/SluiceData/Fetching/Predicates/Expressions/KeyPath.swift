import Foundation
import SluiceSchema
import SluiceSQLite

extension PredicateExpressions.KeyPath: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        let base = try translator.term(root)
        if Output.self == SearchableText.self || Output.self == SearchableText.Search.self { return .search(base) }
        switch base {
        case .constant: return .constant(try evaluate(translator.constants))
        case .row(let row): return try translator.property(keyPath, of: row)
        case .rows(let rows): return try member(of: rows, in: translator)
        case .identifier(let row):
            throw SwiftDataError.untranslatable("\(keyPath) of \(row.binding.entity.name)'s persistentModelID", "compare the identifier itself")
        case .value(let text) where text.form.isText && kind == .collectionCount: return .value(try translator.count(text))
        case .value(let text) where text.form.isText && kind == .collectionIsEmpty: return .of(translator.isEmpty(text))
        case .value, .external, .computed, .condition, .optionalCondition:
            let keyPath = keyPath
            return try translator.compute(base) { (value: Root.Output) in Self.value(of: value, at: keyPath) }
        case .range, .search: throw SwiftDataError.untranslatable("\(keyPath) of a range", "use the bounds themselves")
        }
    }

    /// Nothing but a forced unwrapping inside the key path could stop the program here, and predicates have none.
    private static func value(of root: Root.Output, at keyPath: Swift.KeyPath<Root.Output, Output>) -> Output? { root[keyPath: keyPath] }

    private func member(of rows: RowSet, in translator: PredicateTranslator) throws -> SQLTerm {
        switch kind {
        case .collectionCount:
            return .value(ValueTerm("(SELECT count(*) \(try rows.source().from))", form: try translator.form(of: Int.self)))
        case .collectionIsEmpty:
            let source = try rows.source().from
            return .of(Condition("(NOT EXISTS (SELECT 1 \(source)))", isTotal: true, opposite: "(EXISTS (SELECT 1 \(source)))"))
        case .collectionFirst:
            let source = try rows.source()
            return .row(RowTerm(.key("(SELECT \(source.row.key) \(source.from) ORDER BY \(source.order) LIMIT 1)"), rows.element))
        default:
            throw SwiftDataError.untranslatable("\(keyPath) of a relationship to many", "use count, isEmpty, contains, allSatisfy or filter")
        }
    }
}
