// The embedded storage without its queue and its readers: one connection, one call at a time. The tables, the rules and the transactions are
// those of SQLiteRecordStorage. For simulations, where nothing may depend on threads.

package import SluiceRecords
package import Foundation
import SluiceSQLite
import Synchronization

/// Storage for one caller at a time, in memory or in a file.
///
/// `@unchecked`: the connection is touched under the lock only.
package final class SerialRecordStorage: RecordStorage, @unchecked Sendable {
    private let lock = Mutex(())
    private let connection: Connection
    private let environment: StorageEnvironment
    private let signal = CommitSignal()
    package let epoch: Epoch

    /// - Parameter path: of the file; nil keeps everything in memory.
    package init(path: String?, environment: StorageEnvironment) throws(StorageError) {
        do {
            let writer = try ServiceFile.openWriter(path: path ?? "", mode: path == nil ? .memory : .create, epoch: environment.random)
            // Nobody loses power under a simulation.
            try writer.execute("PRAGMA synchronous = OFF")
            epoch = Epoch(rawValue: UInt64(bitPattern: try writer.integer("SELECT epoch FROM service")))
            connection = writer
        } catch {
            throw StorageError(error)
        }
        self.environment = environment
    }

    private func write<Result: Sendable>(_ body: (WriteTransaction) throws -> Result) throws(StorageError) -> Result {
        do {
            let (result, changed) = try lock.withLock { _ in
                try connection.transaction {
                    let transaction = WriteTransaction(connection, now: environment.now(), nonce: environment.random())
                    let result = try body(transaction)
                    return (result, try transaction.finish())
                }
            }
            signal.notify(changed)
            return result
        } catch {
            throw StorageError(error)
        }
    }

    private func read<Result: Sendable>(_ body: (FeedReading) throws -> Result) throws(StorageError) -> Result {
        do {
            return try lock.withLock { _ in
                try connection.transaction(.deferred) { try body(FeedReading(connection: connection, epoch: epoch)) }
            }
        } catch {
            throw StorageError(error)
        }
    }

    /// Copies everything, as one committed state, into a new file at `path`.
    package func copy(to path: String) throws(StorageError) {
        do { try lock.withLock { _ in try connection.copyDatabase(to: path, checking: .pages) } } catch { throw StorageError(error) }
    }

    // MARK: RecordStorage

    package func zones(in database: DatabaseID) async throws(StorageError) -> [Zone] {
        try read { reading in try ZoneRow.all(in: database, on: reading.connection).map { $0.zone(reading.epoch) } }
    }

    package func modifyZones(_ operations: [ZoneOperation], in database: DatabaseID) async throws(StorageError) -> [ZoneResult] {
        try write { transaction in try operations.map { try transaction.modifyZone($0, in: database, epoch: epoch) } }
    }

    package func modify(_ command: ModifyCommand) async throws(StorageError) -> ModifyOutcome { try write { try $0.modify(command) } }

    package func records(named names: [String], zone: ZoneID, in database: DatabaseID) async throws(StorageError) -> [StoredRecord?] {
        try read { try $0.records(named: names, zone: zone, in: database) }
    }

    package func query(_ command: QueryCommand, in database: DatabaseID) async throws(StorageError) -> QueryPage {
        try read { try QueryReading(connection: $0.connection).page(command, in: database) }
    }

    package func zoneChanges(_ query: FeedQuery, in database: DatabaseID) async throws(StorageError) -> FeedPage {
        try read { try $0.zonePage(query, in: database) }
    }

    package func databaseChanges(since token: SyncToken?, limit: Int, in database: DatabaseID) async throws(StorageError) -> DatabaseFeedPage {
        try read { try $0.databasePage(since: token, limit: limit, in: database) }
    }

    package func watch(_ database: DatabaseID) -> CommitWatch { signal.watch(database) }

    package func prune() async throws(StorageError) { try write { try $0.prune() } }

    package func statistics() async throws(StorageError) -> StorageStatistics { try read { try $0.statistics() } }

    package func close() async {}

    // MARK: CredentialStorage

    package func addToken(_ token: NewToken) async throws(StorageError) { try write { try $0.addToken(token) } }

    package func tokens() async throws(StorageError) -> [TokenSummary] {
        try read { [environment] in try CredentialReading(connection: $0.connection, now: environment.now()).tokens() }
    }

    package func revokeToken(id: Int64) async throws(StorageError) -> Bool { try write { try $0.revokeToken(id: id) } }

    package func acceptsAPIToken(digest: Data, for path: DatabasePath) async throws(StorageError) -> Bool {
        try read { [environment] in
            try CredentialReading(connection: $0.connection, now: environment.now()).acceptsAPIToken(digest, path)
        }
    }

    package func caller(digest: Data, for path: DatabasePath) async throws(StorageError) -> Caller? {
        try read { [environment] in try CredentialReading(connection: $0.connection, now: environment.now()).caller(digest, path) }
    }
}

/// Copies of a service's file, as somebody makes them who restores one.
package enum ServiceCopy {
    /// Copies the file at `path`, its log included, to a new one.
    package static func make(of path: String, at copy: String) throws(StorageError) {
        do { try Connection.copyDatabase(from: path, to: copy, checking: .pages) } catch { throw StorageError(error) }
    }

    /// Gives the file at `path`, which no service has open, a new timeline: what a restore that is announced does.
    package static func begin(_ epoch: Epoch, at path: String) throws(StorageError) {
        do {
            try Connection(path: path, mode: .readWrite).run("UPDATE service SET epoch = ?", [SQLiteValue(bits: epoch.rawValue)])
        } catch {
            throw StorageError(error)
        }
    }
}
