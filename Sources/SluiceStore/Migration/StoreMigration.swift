// A migration is one transaction of SQLite: structure, rows, triggers, the schema in the header. A crash, a throw or a full disk leaves
// the old store, byte for byte in what its tables hold; readers keep the old state until the commit.

import Foundation
import SluiceFailpoints
import SluiceSQLite
package import SluiceSchema

/// Brings one store file from the schema that it holds to another. Used on one executor, its owner's.
package final class StoreMigration {
    private let path: String
    private let options: Store.Options
    /// The schema that the file held when it was looked at.
    package let held: Schema

    /// Looks at the store at `path` for its migration; nothing is written.
    /// - Throws: `StoreError` where the file is no store, is newer than this program, or belongs to somebody else; `SQLiteError` where it
    ///   cannot be read.
    package init(path: String, options: Store.Options) throws {
        let connection = try Connection(path: path, mode: .readOnly, busyTimeout: options.busyTimeout)
        try Store.checkKind(connection)
        try Store.checkOwner(connection, owner: options.owner)
        held = try Store.schema(in: connection)
        self.path = path
        self.options = options
    }

    /// Runs a whole plan in one transaction: all of it, or nothing where it throws.
    ///
    /// Waits for another writer as long as the options say. If another process has migrated the file since it was looked at, `body` sees
    /// the schema that it holds now.
    /// - Throws: what `body` throws; `SQLiteError` with `.busy`, naming the file, where another writer does not finish, and with `.full`,
    ///   naming it and the room that is needed, where the disk is full.
    package func run<Result>(_ body: (MigrationTransaction) throws -> Result) throws -> Result {
        let connection = try Connection(path: path, mode: .readWrite, busyTimeout: options.busyTimeout)
        try Store.configure(connection)
        try MigrationFunctions.register(on: connection, naming: RecordNaming(zone: options.zone, now: options.now, random: options.random))
        var space = MigrationSpace()
        do { return try run(on: connection, body) { space = $0 } } catch let error as SQLiteError where ResultCode.full ~= error.code {
            throw full(error, neededByteCount: space.byteCount(connection))
        }
    }

    private func full(_ error: SQLiteError, neededByteCount: Int) -> SQLiteError {
        return SQLiteError(
            code: error.code, message: "its migration found the disk full; the store is as it was. It needs about \(neededByteCount.inMebibytes) beside the store",
            path: path)
    }

    private func run<Result>(
        on connection: Connection, _ body: (MigrationTransaction) throws -> Result, noting note: (MigrationSpace) -> Void
    ) throws -> Result {
        try connection.transaction {
            Failpoint.pass(.migrationBegun)
            try Store.checkKind(connection)
            try Store.checkOwner(connection, owner: options.owner)
            let transaction = MigrationTransaction(
                connection, path: path, options: options, schema: try Store.schema(in: connection),
                capturesChanges: try connection.integer("SELECT count(*) FROM sqlite_master WHERE name = '_sluice_capture'") == 1)
            defer { note(transaction.space) }
            let result = try body(transaction)
            try transaction.finish()
            return result
        }
    }
}
