// A store that was opened before a migration knows tables that are no longer there, or columns under numbers that mean others now. It
// must not write another byte: whoever holds it opens the file anew. SQLite counts changes of a file's tables, so that looking costs one
// number per transaction; anybody may add an index, so that only another checksum in the header means another schema.

import SluiceSQLite
import SluiceSchema

extension Store {
    /// Makes every write transaction begin by checking that the file still has the layout of this store.
    func guardLayout() throws {
        let layoutGuard = LayoutGuard(
            schema: layout.schema, version: try connection.integer("PRAGMA schema_version"),
            checksum: try StoreHeader.value("checksum", in: connection))
        connection.onWriteLock = { try layoutGuard.check($0) }
    }
}

/// What the file said when it was opened. Used on the connection's executor.
private final class LayoutGuard {
    private let schema: Schema
    private var version: Int64
    private let checksum: SQLiteValue?

    init(schema: Schema, version: Int64, checksum: SQLiteValue?) {
        self.schema = schema
        self.version = version
        self.checksum = checksum
    }

    func check(_ connection: Connection) throws {
        let found = try connection.integer("PRAGMA schema_version")
        guard found != version else { return }
        guard try StoreHeader.value("checksum", in: connection) == checksum else {
            let held = try Store.schema(in: connection)
            throw StoreError.schemaMismatch(
                path: connection.path, difference: "it was migrated while it was open: \(SchemaDifference(from: held, to: schema))")
        }
        version = found
    }
}
