import SluiceRecords
import SluiceSQLite

/// One reading connection, on a thread of its own.
actor StorageReader {
    private let executor: SerialQueueExecutor
    private let connection: Connection
    private let reading: FeedReading

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(path: String, epoch: Epoch, number: Int) throws {
        executor = SerialQueueExecutor(label: "sluice.records.reader.\(number)")
        connection = try ServiceFile.openReader(path: path)
        reading = FeedReading(connection: SQLiteTables(connection), epoch: epoch)
    }

    func integrityFaults() throws(StorageError) -> [String] {
        do { return try connection.integrityFaults() } catch { throw StorageError(error) }
    }

    /// Runs `body` in one read transaction: everything it reads is of one committed state.
    func read<Result: Sendable>(_ body: @Sendable (FeedReading) throws -> Result) throws(StorageError) -> Result {
        do {
            return try connection.transaction(.deferred) { try body(reading) }
        } catch {
            throw StorageError(error)
        }
    }
}
