import SluiceSchema
import SluiceSQLite
import SluiceStore

/// One projection, ready to run: which rows it takes and how they are copied.
struct Selection {
    let query: RowQuery
    let transfer: RowTransfer
    /// Keeps the rows of the local table that this projection decides about; the table has no alias.
    let ownership: (sql: String, values: [SQLiteValue])
    /// Whether a row may come or go because another one changed: by a limit, or by a condition on a related row.
    let isWhole: Bool
    /// Positions in the synced store's layout of tables whose changes may change what is selected.
    let tables: Set<Int>

    init(_ projection: Projection, in projected: ProjectedSchema, from source: StoredSchema, to local: StoredSchema) throws(GroupError) {
        let entities = projected.entities(governedBy: projection)
        do {
            query = try RowQuery(
                projection.entity, in: source, rowEntities: entities, where: projection.filter, order: projection.order,
                limit: projection.limit)
        } catch { throw .projection(entity: projection.entity, error) }
        transfer = RowTransfer(
            table: source.table(of: query.entity).name, from: source, to: local, entities: entities, selects: projection.selects)
        ownership =
            local.tables[transfer.localTable].isHierarchy
            ? ("_entity IN (\(SQLText.placeholders(entities.count)))", entities.map(SQLiteValue.text)) : ("1", [])
        isWhole = projection.limit != nil || !query.visited.isEmpty
        tables = Set([query.entity.table] + query.visited.map(\.table))
    }

    /// Keys of all rows it takes, ascending.
    func selectedKeys(in store: Store) throws -> [Int64] {
        let keys = query.keys
        return try store.connection.rows(keys.sql, keys.values) { $0.integer(0) }.sorted()
    }

    func takes(_ key: Int64, in store: Store) throws -> Bool {
        let test = query.test
        return try store.connection.firstRow(test.sql, test.values + [.integer(key)]) { _ in true } ?? false
    }

    /// Keys of the rows it has put into the local store, ascending.
    func heldKeys(in local: Store) throws -> [Int64] {
        try local.connection.rows(
            "SELECT _pk FROM \(local.layout.tables[transfer.localTable].sql) WHERE \(ownership.sql) ORDER BY _pk", ownership.values
        ) { $0.integer(0) }
    }
}

/// One many-to-many relationship whose two ends are both projected.
struct PairSelection {
    let transfer: RowTransfer
    /// The pairs' layout in the local store.
    let layout: TableLayout
    /// Positions of the tables at both ends in the synced store's layout; both ends may be one table.
    let sourceEnds: [Int]

    init?(_ entity: StoredEntity, from source: StoredSchema, to local: StoredSchema) {
        guard entity.isJoin, let sourceTable = source.tableIndex(named: entity.name) else { return nil }
        layout = local.table(of: entity)
        transfer = RowTransfer(table: entity.name, from: source, to: local, entities: [entity.name], selects: { _ in true })
        sourceEnds = source.tables[sourceTable].columns.compactMap { $0.referencedTable.flatMap(source.tableIndex) }
    }

    /// Whether a pair's end is missing, as a condition on the local table.
    var danglingCondition: String {
        layout.columns.compactMap { column in
            column.referencedTable.map { "\(column.sql) NOT IN (SELECT _pk FROM \(SQLText.name($0)))" }
        }.joined(separator: " OR ")
    }
}
