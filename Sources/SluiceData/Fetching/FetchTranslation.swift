import Foundation
import SluiceSchema
import SluiceSQLite

/// What a descriptor says, in SQL. The class's table has the alias `t`.
struct FetchTranslation {
    /// The condition; empty where every row is wanted.
    let condition: String
    /// The values of the condition's placeholders.
    let values: [SQLiteValue]
    /// Terms of `ORDER BY`, total where there are any; empty where the descriptor names no order.
    let order: String
    /// The values of the order's placeholders.
    let orderValues: [SQLiteValue]
    /// Other tables that condition or order look at, and the class's own where they reach it over a relationship: `EntityBinding.tableID`.
    let visited: Set<Int>
    /// Keeps the closures alive that the statement calls: nobody may run it after this is gone.
    let calls: SwiftCalls

    /// - Throws: `SwiftDataError.unsupportedPredicate` or `.unsupportedSortDescriptor`, naming what has no counterpart in SQL.
    init<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>, of binding: EntityBinding, in schema: ContainerSchema) throws {
        let translator = PredicateTranslator(schema)
        var condition = Condition(true)
        if let predicate = descriptor.predicate {
            translator.bind(predicate.variable, to: .row(RowTerm(.alias("t"), binding)))
            condition = try translator.condition(predicate.expression)
        }
        let terms = try descriptor.sortBy.map { try translator.orderTerm($0, of: binding) }
        let sql: SQLFragment = condition.constant == true ? "" : condition.sql
        let order = SortTerm.joined(terms)
        self.condition = sql.text
        self.order = order.text
        values = sql.values
        orderValues = order.values
        visited = translator.visited
        calls = translator.calls
    }
}
