import SluiceRecords
import SluiceSQLite
import Synchronization

/// A reading connection for single rows, used on the thread of whoever asks: to hand such a question to another thread takes several times as
/// long as to answer it. A writer never holds up a reader of a write-ahead log.
///
/// `@unchecked`: the connection is touched by who holds the lock only.
final class RowReader: @unchecked Sendable {
    private let lock = Mutex(())
    private let connection: Connection
    private let reading: FeedReading

    init(path: String, epoch: Epoch) throws {
        connection = try ServiceFile.openReader(path: path)
        reading = FeedReading(connection: SQLiteTables(connection), epoch: epoch)
    }

    /// Runs `body` in one read transaction.
    /// - Returns: nil where somebody else is reading: nobody waits here.
    func readIfFree<Result: Sendable>(_ body: (FeedReading) throws -> Result) throws(StorageError) -> Result? {
        let outcome = lock.withLockIfAvailable { _ -> Swift.Result<Result, StorageError> in
            do {
                return .success(try connection.transaction(.deferred) { try body(reading) })
            } catch {
                return .failure(StorageError(error))
            }
        }
        return try outcome?.get()
    }
}
