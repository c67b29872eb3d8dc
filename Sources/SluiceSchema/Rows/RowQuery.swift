package import SluiceSQLite

/// Which rows of one entity, in which order, how many: as the statements that helpers, projections and `sluice query` run.
package struct RowQuery {
    package let entity: StoredEntity
    /// What decides the result besides the queried rows: what the filter and the order find over relationships.
    package let dependencies: [FilterDependency]
    private let decoder: RowDecoder
    private let source: String
    private let condition: SQLFragment
    private let order: SQLFragment
    private let limit: Int?

    /// - Parameters:
    ///   - external: where large values lie; nil for who asks for keys and counts only, and for a store in memory.
    ///   - rowEntities: whose rows are meant; nil means the entity's own and its subentities'.
    package init(
        _ entityName: String, in layout: StoredSchema, external: ExternalValues? = nil, rowEntities: [String]? = nil,
        where filter: RowFilter? = nil, order: RowOrder = RowOrder(), limit: Int? = nil
    ) throws(FilterError) {
        guard let entity = layout.entities[entityName] else { throw .unknownEntity(entityName, known: layout.sortedEntities.map(\.name)) }
        var translation = FilterTranslation(layout: layout, entity: entity)
        var terms: [SQLFragment] = []
        if let names = rowEntities ?? layout.rowEntities(of: entity), layout.table(of: entity).isHierarchy {
            terms.append(SQLFragment("t._entity IN (\(SQLText.placeholders(names.count)))", names.map(SQLiteValue.text)))
        }
        if let filter {
            let condition = try translation.condition(FilterExpression(filter))
            try FilterBounds.checkDepth(condition)
            terms.append(condition)
        }
        self.entity = entity
        self.order = try translation.order(order)
        self.limit = limit
        decoder = RowDecoder(table: entity.table, in: layout, external: external)
        source = "FROM \(layout.table(of: entity).sql) AS t"
        condition = terms.joined(by: " AND ")
        dependencies = translation.dependencies
    }

    /// The statement that selects whole rows, and its values; the decoder reads what it gives.
    package var rows: (sql: String, values: [SQLiteValue]) { statement(decoder.selection) }

    /// - Parameter attributes: those to read; nil reads all.
    /// - Throws: `ExternalValueFault`.
    package func row(_ statement: Statement, attributes: Set<String>? = nil) throws(ExternalValueFault) -> StoredRow? {
        try decoder.row(statement, attributes: attributes)
    }

    /// The statement that selects the keys of the rows.
    package var keys: (sql: String, values: [SQLiteValue]) { statement("SELECT t._pk \(source)") }

    /// The statement that selects `terms` of the rows; the rows' table has the alias `t`.
    package func selecting(_ terms: SQLFragment) -> (sql: String, values: [SQLiteValue]) {
        let selected = statement("SELECT \(terms.text) \(source)")
        return (selected.sql, terms.values + selected.values)
    }

    /// The statement that counts the rows, without regard to the limit.
    package var count: (sql: String, values: [SQLiteValue]) {
        ("SELECT count(*) \(source)" + (condition.text.isEmpty ? "" : " WHERE \(condition.text)"), condition.values)
    }

    /// What has to hold for a row besides being in the table; nil where nothing has to.
    package var requirement: SQLFragment? { condition.text.isEmpty ? nil : condition }

    /// Terms of `ORDER BY`, which make the order total.
    package var ordering: SQLFragment { order }

    /// The statement that selects the keys of those among some rows that meet the condition, in order and without regard to the limit. Its last
    /// value is a JSON list of keys.
    package func keys(among keys: [Int64], isOrdered: Bool) -> (sql: String, values: [SQLiteValue]) {
        let list = "[" + keys.map(String.init).joined(separator: ",") + "]"
        let sql: SQLFragment = """
            SELECT t._pk \(sql: source) WHERE t._pk IN (SELECT value FROM json_each(\(bind: .text(list))))\
            \(requirement.map { " AND \($0)" } ?? "")
            """
        let whole: SQLFragment = isOrdered ? "\(sql) ORDER BY \(order)" : sql
        return (whole.text, whole.values)
    }

    /// The statement that selects the keys of the first rows, with a limit of its own.
    package func keys(first count: Int) -> (sql: String, values: [SQLiteValue]) {
        let selected = statement("SELECT t._pk \(source)", limit: count)
        return (selected.sql, selected.values)
    }

    private func statement(_ selection: String) -> (sql: String, values: [SQLiteValue]) { statement(selection, limit: limit) }

    private func statement(_ selection: String, limit: Int?) -> (sql: String, values: [SQLiteValue]) {
        var sql = selection
        if !condition.text.isEmpty { sql += " WHERE \(condition.text)" }
        sql += " ORDER BY \(order.text)"
        let values = condition.values + order.values
        guard let limit else { return (sql, values) }
        return (sql + " LIMIT ?", values + [SQLiteValue(limit)])
    }
}
