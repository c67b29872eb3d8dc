// The embedded storage of a record service: one file, one writing connection behind GroupCommitter, a few reading connections.
// ServiceFile.swift describes the file. Reads see committed states only, each call one.

package import Foundation
package import SluiceRecords
import SluiceSQLite
import Synchronization

/// Storage in one SQLite file. Made by `open`, ended by `close`.
package final class SQLiteRecordStorage: RecordStorage {
    private let committer: GroupCommitter
    private let readers: [StorageReader]
    /// A reader of its own: who asks for one record does not wait for who looks at all of them.
    private let scanner: StorageReader
    private let nextReader = Atomic(0)
    private let signal: CommitSignal
    private let environment: StorageEnvironment
    package let epoch: Epoch

    private init(
        _ committer: GroupCommitter, _ readers: [StorageReader], _ scanner: StorageReader, _ signal: CommitSignal, _ environment: StorageEnvironment, _ epoch: Epoch
    ) {
        self.committer = committer
        self.readers = readers
        self.scanner = scanner
        self.signal = signal
        self.environment = environment
        self.epoch = epoch
    }

    /// Opens the file, or makes it with a new epoch.
    /// - Parameter readers: connections that read at the same time.
    package static func open(
        path: String, readers count: Int = 2, environment: StorageEnvironment = .system
    ) throws(StorageError) -> SQLiteRecordStorage {
        do {
            let writer = try ServiceFile.openWriter(path: path, epoch: environment.random)
            let epoch = Epoch(rawValue: UInt64(bitPattern: try writer.integer("SELECT epoch FROM service")))
            let readers = try (0..<max(1, count)).map { try StorageReader(path: path, epoch: epoch, number: $0) }
            let scanner = try StorageReader(path: path, epoch: epoch, number: readers.count)
            let signal = CommitSignal()
            return SQLiteRecordStorage(GroupCommitter(writer, environment, signal), readers, scanner, signal, environment, epoch)
        } catch {
            throw StorageError(error)
        }
    }

    private var reader: StorageReader {
        // In turn; the counter may wrap.
        let turn = nextReader.wrappingAdd(1, ordering: .relaxed).oldValue
        return readers[Int(turn.magnitude % UInt(readers.count))]
    }

    // MARK: Zones

    package func zones(in database: DatabaseID) async throws(StorageError) -> [Zone] {
        try await reader.read { reading in try ZoneRow.all(in: database, on: reading.connection).map { $0.zone(reading.epoch) } }
    }

    package func modifyZones(_ operations: [ZoneOperation], in database: DatabaseID) async throws(StorageError) -> [ZoneResult] {
        try await committer.perform { [epoch] transaction in
            try operations.map { try transaction.modifyZone($0, in: database, epoch: epoch) }
        }
    }

    // MARK: Records

    package func modify(_ command: ModifyCommand) async throws(StorageError) -> ModifyOutcome {
        try await committer.perform(weight: command.elements.count) { try $0.modify(command) }
    }

    package func records(
        named names: [String], zone: ZoneID, in database: DatabaseID
    ) async throws(StorageError) -> [StoredRecord?] {
        try await reader.read { try $0.records(named: names, zone: zone, in: database) }
    }

    package func query(_ command: QueryCommand, in database: DatabaseID) async throws(StorageError) -> QueryPage {
        try await scanner.read { try QueryReading(connection: $0.connection).page(command, in: database) }
    }

    // MARK: Feeds

    package func zoneChanges(_ query: FeedQuery, in database: DatabaseID) async throws(StorageError) -> FeedPage {
        try await reader.read { try $0.zonePage(query, in: database) }
    }

    package func databaseChanges(since token: SyncToken?, limit: Int, in database: DatabaseID) async throws(StorageError) -> DatabaseFeedPage {
        try await reader.read { try $0.databasePage(since: token, limit: limit, in: database) }
    }

    package func watch(_ database: DatabaseID) -> CommitWatch { signal.watch(database) }

    // MARK: Credentials

    package func addToken(_ token: NewToken) async throws(StorageError) {
        try await committer.perform { try $0.addToken(token) }
    }

    package func tokens() async throws(StorageError) -> [TokenSummary] {
        try await reader.read { [environment] in try CredentialReading(connection: $0.connection, now: environment.now()).tokens() }
    }

    package func revokeToken(id: Int64) async throws(StorageError) -> Bool {
        try await committer.perform { try $0.revokeToken(id: id) }
    }

    package func acceptsAPIToken(digest: Data, for path: DatabasePath) async throws(StorageError) -> Bool {
        try await reader.read { [environment] in
            try CredentialReading(connection: $0.connection, now: environment.now()).acceptsAPIToken(digest, path)
        }
    }

    package func caller(digest: Data, for path: DatabasePath) async throws(StorageError) -> Caller? {
        try await reader.read { [environment] in try CredentialReading(connection: $0.connection, now: environment.now()).caller(digest, path) }
    }

    // MARK: Upkeep

    package func prune() async throws(StorageError) { try await committer.perform { try $0.prune() } }

    package func statistics() async throws(StorageError) -> StorageStatistics {
        try await reader.read { try $0.statistics() }
    }

    package func close() async { await committer.close() }
}
