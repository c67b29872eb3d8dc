import Foundation
import SluiceSchema
import SluiceSQLite

/// What a descriptor says, in SQL. The class's table has the alias `t`.
struct FetchTranslation {
    /// Empty where every row is wanted.
    let condition: SQLFragment
    /// Terms of `ORDER BY`, total where there are any; empty where the descriptor names no order.
    let order: SQLFragment
    /// Knows which tables are looked at, and owns the closures that the statement calls.
    let translator: PredicateTranslator

    /// - Throws: `SwiftDataError.unsupportedPredicate` or `.unsupportedSortDescriptor`, naming what has no counterpart in SQL.
    init<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>, of binding: EntityBinding, in schema: ContainerSchema) throws {
        translator = PredicateTranslator(schema)
        var condition = Condition(true)
        if let predicate = descriptor.predicate {
            translator.bind(predicate.variable, to: .row(RowTerm(.alias("t"), binding)))
            condition = try translator.condition(predicate.expression)
        }
        self.condition = condition.constant == true ? "" : condition.sql
        order = SortTerm.joined(try descriptor.sortBy.map { [translator] in try translator.orderTerm($0, of: binding) })
    }
}
