public import FoundationEssentials
public import SluiceSchema
import SluiceSQLite

/// One consistent state of a local store. `GroupContainer.read` makes it; it must not be used after that returned.
///
///     let open = try container.read { snapshot in
///         try snapshot.rows(of: "Item", where: RowFilter(parsing: "isChecked == false"), limit: 10)
///     }
public final class Snapshot {
    /// What the store holds: the projected part of the account's schema.
    public let schema: Schema
    public let summary: LocalStoreSummary

    private let connection: Connection
    private let layout: StoredSchema
    private let external: ExternalValues?
    private let deadline: ContinuousClock.Instant

    init(connection: Connection, file: LocalStoreFile, deadline: ContinuousClock.Instant) throws {
        try StoreHeader.check(connection)
        schema = try StoreHeader.schema(in: connection)
        layout = StoredSchema(schema)
        external = ExternalValues(besideStore: connection.path)
        self.connection = connection
        self.deadline = deadline
        summary = LocalStoreSummary(
            file: file.name, schemaName: schema.name, schemaVersion: schema.version,
            generation: try StoreHeader.value(LocalStoreFile.Key.generation, in: connection)?.integer ?? 0,
            lastSync: try StoreHeader.value(LocalStoreFile.Key.synced, in: connection)?.integer.map(Date.init(milliseconds:)))
    }

    public var generation: Int64 { summary.generation }
    public var lastSync: Date? { summary.lastSync }
    /// By name.
    public var entities: [Entity] { schema.entities }

    /// Rows of an entity and its subentities, as values.
    /// - Parameter attributes: names of those to read; nil reads all. Large values lie in files, which are opened for what is named here
    ///   only.
    /// - Throws: `ReaderError.query` where a name does not fit the schema; `.damaged` or `.notPermitted` where such a file cannot be
    ///   read.
    public func rows(
        of entity: String, where filter: RowFilter? = nil, order: RowOrder = RowOrder(), limit: Int? = nil, attributes: Set<String>? = nil
    ) throws -> [StoredRow] {
        var rows: [StoredRow] = []
        try forEachRow(of: entity, where: filter, order: order, limit: limit, attributes: attributes) { rows.append($0) }
        return rows
    }

    /// Calls `body` for each row; memory does not grow with their number. Parameters and errors are those of `rows`.
    public func forEachRow(
        of entity: String, where filter: RowFilter? = nil, order: RowOrder = RowOrder(), limit: Int? = nil, attributes: Set<String>? = nil,
        _ body: (StoredRow) throws -> Void
    ) throws {
        let query = try query(entity, where: filter, order: order, limit: limit)
        try connection.forEachRow(query.rows.sql, query.rows.values) { statement in
            guard let row = try query.row(statement, attributes: attributes) else { return }
            try body(row)
            // SQLite watches the deadline only while it works; `body` may be the slow one.
            guard ContinuousClock.now < deadline else { throw DeadlinePassed() }
        }
    }

    public func count(of entity: String, where filter: RowFilter? = nil) throws -> Int {
        let query = try query(entity, where: filter)
        return Int(try connection.integer(query.count.sql, query.count.values))
    }

    /// The row of that name, whatever its entity; nil where there is none.
    /// - Parameter attributes: names of those to read; nil reads all.
    public func row(named name: RecordName, attributes: Set<String>? = nil) throws -> StoredRow? {
        for table in layout.tables.indices {
            let decoder = RowDecoder(table: table, in: layout, external: external)
            let row = try connection.firstRow("\(decoder.selection) WHERE t._id = ?", [name.stored]) {
                try decoder.row($0, attributes: attributes)
            }
            if let row { return row }
        }
        return nil
    }

    private func query(
        _ entity: String, where filter: RowFilter?, order: RowOrder = RowOrder(), limit: Int? = nil
    ) throws(ReaderError) -> RowQuery {
        do {
            return try RowQuery(entity, in: layout, external: external, where: filter, order: order, limit: limit)
        } catch { throw .query(error) }
    }
}

struct DeadlinePassed: Error {}
