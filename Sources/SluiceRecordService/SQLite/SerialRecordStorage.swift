// The embedded storage without its queue and its readers: one connection, one call at a time. The tables, the rules and the transactions are
// those of SQLiteRecordStorage. For simulations, where nothing may depend on threads.

package import SluiceRecords
package import Foundation
import SluiceSQLite
import Synchronization

/// Storage for one caller at a time, in memory or in a file.
///
/// `@unchecked`: the connection is touched under the lock only.
package final class SerialRecordStorage: TransactionalStorage, @unchecked Sendable {
    private let lock = Mutex(())
    private let connection: Connection
    private let tables: SQLiteTables
    package let environment: StorageEnvironment
    package let signal = CommitSignal()
    package let epoch: Epoch
    package let assetKey: Data

    /// - Parameter path: of the file; nil keeps everything in memory.
    package init(path: String?, environment: StorageEnvironment) throws(StorageError) {
        do {
            let writer = try ServiceFile.openWriter(path: path ?? "", mode: path == nil ? .memory : .create, random: environment.random)
            // Nobody loses power under a simulation.
            try writer.execute("PRAGMA synchronous = OFF")
            epoch = Epoch(rawValue: UInt64(bitPattern: try writer.integer("SELECT epoch FROM service")))
            assetKey = try writer.firstRow("SELECT asset_key FROM service") { $0.data(0) } ?? Data()
            connection = writer
            tables = SQLiteTables(writer)
        } catch {
            throw StorageError(error)
        }
        self.environment = environment
    }

    package func write<Result: Sendable>(
        to _: WriteScope, weight _: Int, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws(StorageError) -> Result {
        do {
            let (result, changed) = try lock.withLock { _ in
                try connection.transaction {
                    let transaction = WriteTransaction(tables, epoch: epoch, now: environment.now(), nonce: environment.random())
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

    package func read<Result: Sendable>(_ body: @escaping @Sendable (FeedReading) throws -> Result) async throws(StorageError) -> Result {
        do {
            return try lock.withLock { _ in
                try connection.transaction(.deferred) { try body(FeedReading(connection: tables, epoch: epoch)) }
            }
        } catch {
            throw StorageError(error)
        }
    }

    package func scan<Result: Sendable>(_ body: @escaping @Sendable (FeedReading) throws -> Result) async throws(StorageError) -> Result {
        try await read(body)
    }

    /// Copies everything, as one committed state, into a new file at `path`.
    package func copy(to path: String) throws(StorageError) {
        do { try lock.withLock { _ in try connection.copyDatabase(to: path, checking: .pages) } } catch { throw StorageError(error) }
    }

    package func engineFaults() async throws(StorageError) -> [String] {
        do { return try lock.withLock { _ in try connection.integrityFaults() } } catch { throw StorageError(error) }
    }

    package func prune() async throws(StorageError) { try await write(to: .all, weight: 1) { try $0.prune() } }

    package func close() async {}
}
