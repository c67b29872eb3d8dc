import SluiceRecords
import SluiceSQLite

/// One reading connection, on a thread of its own.
actor StorageReader {
    private let executor: SerialQueueExecutor
    private let reading: FeedReading

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(path: String, epoch: Epoch, number: Int) throws {
        executor = SerialQueueExecutor(label: "sluice.records.reader.\(number)")
        reading = FeedReading(connection: try ServiceFile.openReader(path: path), epoch: epoch)
    }

    /// Runs `body` in one read transaction: everything it reads is of one committed state.
    func read<Result: Sendable>(_ body: @Sendable (FeedReading) throws -> Result) throws(StorageError) -> Result {
        do {
            return try reading.connection.transaction(.deferred) { try body(reading) }
        } catch {
            throw StorageError(error)
        }
    }
}
