package import SluiceSQLite

/// Which rows of one entity, in which order, how many: as the statements that helpers, projections and `sluice query` run.
package struct RowQuery {
    package let entity: StoredEntity
    /// Entities whose rows decide the result besides the queried ones: those that the filter or the order follows a relationship to.
    package let visited: [StoredEntity]
    private let decoder: RowDecoder
    private let source: String
    private let condition: String
    private let order: String
    private let limit: Int?
    private let conditionValues: [SQLiteValue]

    /// - Parameters:
    ///   - external: where large values lie; nil for who asks for keys and counts only, and for a store in memory.
    ///   - rowEntities: whose rows are meant; nil means the entity's own and its subentities'.
    package init(
        _ entityName: String, in layout: StoredSchema, external: ExternalValues? = nil, rowEntities: [String]? = nil,
        where filter: RowFilter? = nil, order: RowOrder = RowOrder(), limit: Int? = nil
    ) throws(FilterError) {
        guard let entity = layout.entities[entityName] else { throw .unknownEntity(entityName, known: layout.sortedEntities.map(\.name)) }
        var translation = FilterTranslation(layout: layout, entity: entity)
        var terms: [String] = []
        var values: [SQLiteValue] = []
        if let names = rowEntities ?? layout.rowEntities(of: entity), layout.table(of: entity).isHierarchy {
            terms.append("t._entity IN (\(SQLText.placeholders(names.count)))")
            values = names.map(SQLiteValue.text)
        }
        if let filter { terms.append(try translation.condition(filter)) }
        self.entity = entity
        self.order = try translation.order(order)
        self.limit = limit
        decoder = RowDecoder(table: entity.table, in: layout, external: external)
        source = "FROM \(layout.table(of: entity).sql) AS t"
        condition = terms.joined(separator: " AND ")
        conditionValues = values + translation.values
        visited = try Self.visited(filter, order, entity: entity, in: layout)
    }

    private static func visited(
        _ filter: RowFilter?, _ order: RowOrder, entity: StoredEntity, in layout: StoredSchema
    ) throws(FilterError) -> [StoredEntity] {
        var visited: [StoredEntity] = []
        for path in (filter?.paths ?? []) + order.terms.map(\.path) {
            visited += try ResolvedProperty(path, of: entity, in: layout).visited
        }
        return visited
    }

    /// The statement that selects whole rows, and its values; the decoder reads what it gives.
    package var rows: (sql: String, values: [SQLiteValue]) { statement(decoder.selection) }

    /// - Parameter attributes: those to read; nil reads all.
    /// - Throws: `ExternalValueFault`.
    package func row(_ statement: Statement, attributes: Set<String>? = nil) throws(ExternalValueFault) -> StoredRow? {
        try decoder.row(statement, attributes: attributes)
    }

    /// The statement that selects the keys of the rows.
    package var keys: (sql: String, values: [SQLiteValue]) { selecting("t._pk") }

    /// The statement that selects `terms` of the rows; the rows' table has the alias `t`.
    package func selecting(_ terms: String) -> (sql: String, values: [SQLiteValue]) { statement("SELECT \(terms) \(source)") }

    /// The statement that counts the rows, without regard to the limit.
    package var count: (sql: String, values: [SQLiteValue]) {
        ("SELECT count(*) \(source)" + (condition.isEmpty ? "" : " WHERE \(condition)"), conditionValues)
    }

    /// The statement that gives a row where the row with one key, its last value, meets the condition; order and limit do not matter to it.
    package var test: (sql: String, values: [SQLiteValue]) {
        ("SELECT 1 \(source) WHERE " + (condition.isEmpty ? "" : "\(condition) AND ") + "t._pk = ?", conditionValues)
    }

    private func statement(_ selection: String) -> (sql: String, values: [SQLiteValue]) {
        var sql = selection
        if !condition.isEmpty { sql += " WHERE \(condition)" }
        sql += " ORDER BY \(order)"
        guard let limit else { return (sql, conditionValues) }
        return (sql + " LIMIT ?", conditionValues + [SQLiteValue(limit)])
    }
}

extension RowFilter {
    /// Every property that the filter looks at.
    var paths: [PropertyPath] {
        switch self {
        case .comparison(let path, _, _), .membership(let path, _), .match(let path, _, _): [path]
        case .and(let left, let right), .or(let left, let right): left.paths + right.paths
        case .not(let inner): inner.paths
        }
    }
}
