// The statement of one fetch: a class, what the descriptor says, and the rows that it shall leave out.

import Foundation
import SluiceSchema
import SluiceSQLite

/// A fetch as SQL.
struct FetchStatement {
    let binding: EntityBinding
    /// Tables that the condition or the order looks at besides the class's own: numbers of the container.
    let visited: Set<Int>
    private let source: String
    private var terms: [String]
    private var values: [SQLiteValue]
    private let order: String
    private let orderValues: [SQLiteValue]
    /// Closures that the statement calls: whoever runs it keeps this value alive (`withExtendedLifetime`) until the last row is read.
    private let calls: SwiftCalls

    /// - Throws: `SwiftDataError.unsupportedPredicate` or `.unsupportedSortDescriptor`, naming what has no counterpart in SQL.
    init<Model>(_ descriptor: FetchDescriptor<Model>, of binding: EntityBinding, in schema: ContainerSchema, includingSubclasses: Bool = true) throws {
        let translation = try FetchTranslation(descriptor, of: binding, in: schema)
        self.binding = binding
        visited = translation.visited
        order = translation.order
        orderValues = translation.orderValues
        calls = translation.calls
        source = "FROM \(binding.store.layout.table(of: binding.entity).sql) AS t"
        terms = []
        values = []
        let family = includingSubclasses ? binding.store.layout.rowEntities(of: binding.entity) : binding.entity.discriminator.map { [$0] }
        if let family {
            terms.append("t._entity IN (\(SQLText.placeholders(family.count)))")
            values += family.map(SQLiteValue.text)
        }
        if !translation.condition.isEmpty {
            terms.append(translation.condition)
            values += translation.values
        }
    }

    func selecting(_ columns: String, limit: Int? = nil, offset: Int = 0) -> (sql: String, values: [SQLiteValue]) {
        var sql = "SELECT \(columns) \(source)"
        if !terms.isEmpty { sql += " WHERE \(terms.joined(separator: " AND "))" }
        if !order.isEmpty { sql += " ORDER BY \(order)" }
        guard limit != nil || offset > 0 else { return (sql, values + orderValues) }
        sql += " LIMIT ? OFFSET ?"
        return (sql, values + orderValues + [SQLiteValue(limit ?? -1), SQLiteValue(offset)])
    }

    var counting: (sql: String, values: [SQLiteValue]) {
        var sql = "SELECT count(*) \(source)"
        if !terms.isEmpty { sql += " WHERE \(terms.joined(separator: " AND "))" }
        return (sql, values)
    }
}
