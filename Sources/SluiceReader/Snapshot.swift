public import FoundationEssentials
public import SluiceSchema
import SluiceSQLite

/// One consistent state of a local store. `GroupContainer.read` makes it, and it ends when that returns or its time is up: whoever uses it
/// then gets `ReaderError.tookTooLong`, and reads again for a newer state.
///
///     let open = try container.read { snapshot in
///         try snapshot.rows(of: "Item", where: RowFilter(parsing: "isChecked == false"), limit: 10)
///     }
public final class Snapshot {
    /// What the store holds: the projected part of the account's schema.
    public let schema: Schema
    public let summary: LocalStoreSummary

    private let read: BoundedRead
    private let place: (path: String, limit: Duration)
    private let layout: StoredSchema
    private let external: ExternalValues?

    init(_ read: BoundedRead, file: LocalStoreFile, path: String, limit: Duration) throws {
        (schema, summary) = try read.use { connection in
            try StoreHeader.check(connection)
            let schema = try StoreHeader.schema(in: connection)
            let summary = LocalStoreSummary(
                file: file.name, schemaName: schema.name, schemaVersion: schema.version,
                generation: try StoreHeader.value(LocalStoreFile.Key.generation, in: connection)?.integer ?? 0,
                lastSync: try StoreHeader.value(LocalStoreFile.Key.synced, in: connection)?.integer.map(Date.init(milliseconds:)))
            return (schema, summary)
        }
        layout = StoredSchema(schema)
        external = ExternalValues(besideStore: path)
        self.read = read
        place = (path, limit)
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
        let cursor = try asQuery { try read.open(query.rows.sql, query.rows.values) }
        defer { read.close(cursor) }
        // What is no row of ours, because a person edited the file, is passed over.
        while let row = try asQuery({ try read.step(cursor) { try query.row($0, attributes: attributes) } }) {
            if let row { try body(row) }
        }
    }

    public func count(of entity: String, where filter: RowFilter? = nil) throws -> Int {
        let query = try query(entity, where: filter)
        return Int(try asQuery { try read.use { try $0.integer(query.count.sql, query.count.values) } })
    }

    /// The row of that name, whatever its entity; nil where there is none.
    /// - Parameter attributes: names of those to read; nil reads all.
    public func row(named name: RecordName, attributes: Set<String>? = nil) throws -> StoredRow? {
        for table in layout.tables.indices {
            let decoder = RowDecoder(table: table, in: layout, external: external)
            let row = try asReader {
                try read.use { connection in
                    try connection.firstRow("\(decoder.selection) WHERE t._id = ?", [name.stored]) { try decoder.row($0, attributes: attributes) }
                }
            }
            if let row = row ?? nil { return row }
        }
        return nil
    }

    /// What goes wrong below, as a reader understands it.
    private func asReader<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch { throw ReaderError(error, path: place.path, limit: place.limit) ?? error }
    }

    /// The same of a statement that somebody's filter is in.
    private func asQuery<Result>(_ body: () throws -> Result) throws -> Result {
        try asReader {
            do { return try body() } catch let error as SQLiteError { throw ReaderError(query: error) ?? error }
        }
    }

    private func query(
        _ entity: String, where filter: RowFilter?, order: RowOrder = RowOrder(), limit: Int? = nil
    ) throws(ReaderError) -> RowQuery {
        do {
            try filter?.requireHelperFunctions()
            return try RowQuery(entity, in: layout, external: external, where: filter, order: order, limit: limit)
        } catch { throw .query(error) }
    }
}
