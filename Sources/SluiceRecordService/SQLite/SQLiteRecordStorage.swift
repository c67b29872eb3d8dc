// The embedded storage of a record service: one file, one writing connection behind GroupCommitter, a few reading connections.
// ServiceFile.swift describes the file. Reads see committed states only, each call one.

package import Foundation
package import SluiceRecords
import SluiceSQLite
import Synchronization

/// Storage in one SQLite file. Made by `open`, ended by `close`.
package final class SQLiteRecordStorage: TransactionalStorage {
    private let writer: WriteQueue
    private let readers: [StorageReader]
    /// A reader of its own: who asks for one record does not wait for who looks at all of them.
    private let scanner: StorageReader
    private let rowReader: RowReader
    private let nextReader = Atomic(0)
    package let signal: CommitSignal
    package let environment: StorageEnvironment
    package let epoch: Epoch
    package let assetKey: Data
    /// Hears of what other processes write.
    private let listener: ChangeListener?

    private init(
        _ writer: WriteQueue, _ readers: [StorageReader], _ scanner: StorageReader, _ rowReader: RowReader, _ signal: CommitSignal, _ environment: StorageEnvironment,
        _ epoch: Epoch, _ assetKey: Data, _ listener: ChangeListener?
    ) {
        self.writer = writer
        self.readers = readers
        self.scanner = scanner
        self.rowReader = rowReader
        self.signal = signal
        self.environment = environment
        self.epoch = epoch
        self.assetKey = assetKey
        self.listener = listener
    }

    /// Opens the file, or makes it with a new epoch.
    /// - Parameters:
    ///   - readers: connections that read at the same time.
    ///   - changes: the pipe on which processes of one file tell each other; nil where there is one process only.
    package static func open(
        path: String, readers count: Int = 2, changes: ChangePipe? = nil, environment: StorageEnvironment = .system
    ) throws(StorageError) -> SQLiteRecordStorage {
        do {
            let writer = try ServiceFile.openWriter(path: path, random: environment.random)
            let epoch = Epoch(rawValue: UInt64(bitPattern: try writer.integer("SELECT epoch FROM service")))
            let assetKey = try writer.firstRow("SELECT asset_key FROM service") { $0.data(0) } ?? Data()
            let readers = try (0..<max(1, count)).map { try StorageReader(path: path, epoch: epoch, number: $0) }
            let scanner = try StorageReader(path: path, epoch: epoch, number: readers.count)
            let rowReader = try RowReader(path: path, epoch: epoch)
            let signal = CommitSignal()
            let listener: ChangeListener? =
                if case .heard(let pipe) = changes { try ChangeListener(at: pipe) { signal.notify([$0]) } } else { nil }
            let committer = GroupCommitter(writer, epoch, environment) { changed in
                signal.notify(changed)
                if case .told(let pipe) = changes { ChangePipe.tell(changed, at: pipe) }
            }
            let queue = WriteQueue(committer, label: "sluice.records.writer")
            return SQLiteRecordStorage(queue, readers, scanner, rowReader, signal, environment, epoch, assetKey, listener)
        } catch {
            throw StorageError(error)
        }
    }

    private var reader: StorageReader {
        // In turn; the counter may wrap.
        let turn = nextReader.wrappingAdd(1, ordering: .relaxed).oldValue
        return readers[Int(turn.magnitude % UInt(readers.count))]
    }

    package func write<Result: Sendable>(
        to scope: WriteScope, weight: Int, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws(StorageError) -> Result {
        try await writer.perform(in: scope, weight: weight, body)
    }

    package func read<Result: Sendable>(_ body: @escaping @Sendable (FeedReading) throws -> Result) async throws(StorageError) -> Result {
        try await reader.read(body)
    }

    package func lookUp<Result: Sendable>(_ body: @escaping @Sendable (FeedReading) throws -> Result) async throws(StorageError) -> Result {
        if let found = try rowReader.readIfFree(body) { return found }
        return try await reader.read(body)
    }

    package func scan<Result: Sendable>(_ body: @escaping @Sendable (FeedReading) throws -> Result) async throws(StorageError) -> Result {
        try await scanner.read(body)
    }

    package func engineFaults() async throws(StorageError) -> [String] { try await scanner.integrityFaults() }

    package func prune() async throws(StorageError) { try await write(to: .all, weight: 1) { try $0.prune() } }

    package func close() async { await writer.close() }
}
