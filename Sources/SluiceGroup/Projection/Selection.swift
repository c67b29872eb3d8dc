import SluiceSchema
import SluiceSQLite
import SluiceStore

/// One projection, ready to run: which rows it takes and how they are copied.
struct Selection {
    let projection: Projection
    let query: RowQuery
    let transfer: RowTransfer
    /// Keeps the rows of the local table that this projection decides about; the table has no alias.
    let ownership: (sql: String, values: [SQLiteValue])
    /// What decides about the rows and their derived fields besides the rows themselves.
    let dependencies: [FilterDependency]

    init(_ projection: Projection, in projected: ProjectedSchema, from source: StoredSchema, to local: StoredSchema) throws(GroupError) {
        let entities = projected.entities(governedBy: projection)
        var derived: [String: DerivedTerm] = [:]
        do {
            query = try RowQuery(
                projection.entity, in: source, rowEntities: entities, where: projection.filter, order: projection.order,
                limit: projection.limit)
            for field in projection.derived { derived[field.name] = try DerivedTerm(field.expression, of: query.entity, in: source) }
        } catch { throw .projection(entity: projection.entity, error) }
        self.projection = projection
        transfer = RowTransfer(
            table: source.table(of: query.entity).name, from: source, to: local, entities: entities, derived: derived,
            selects: projection.selects)
        ownership =
            local.tables[transfer.localTable].isHierarchy
            ? ("_entity IN (\(SQLText.placeholders(entities.count)))", entities.map(SQLiteValue.text)) : ("1", [])
        dependencies = FilterDependency.merged(query.dependencies + projection.derived.flatMap { derived[$0.name]?.dependencies ?? [] })
    }

    /// Those of some rows that it takes, without regard to the limit.
    func taken(among keys: [Int64], isOrdered: Bool = false, in store: Store) throws -> [Int64] {
        guard isOrdered || keys.count > Self.keyCountMax else { return try takenAtOnce(keys, isOrdered: isOrdered, in: store) }
        if isOrdered { return try takenAtOnce(keys, isOrdered: true, in: store) }
        return try stride(from: 0, to: keys.count, by: Self.keyCountMax).flatMap { start in
            try takenAtOnce(Array(keys[start..<min(start + Self.keyCountMax, keys.count)]), isOrdered: false, in: store)
        }
    }

    private static let keyCountMax = 10_000

    private func takenAtOnce(_ keys: [Int64], isOrdered: Bool, in store: Store) throws -> [Int64] {
        let statement = query.keys(among: keys, isOrdered: isOrdered)
        return try store.connection.rows(statement.sql, statement.values) { $0.integer(0) }
    }

    /// Keys of the rows it has put into the local store, ascending.
    func heldKeys(in local: Store) throws -> [Int64] {
        try local.connection.rows(
            "SELECT _pk FROM \(local.layout.tables[transfer.localTable].sql) WHERE \(ownership.sql) ORDER BY _pk", ownership.values
        ) { $0.integer(0) }
    }
}
