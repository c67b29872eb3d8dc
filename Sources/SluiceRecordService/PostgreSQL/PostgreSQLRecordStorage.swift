// The storage of a record service on a PostgreSQL server, with any number of processes on it. PostgreSQLSchema.swift describes the tables;
// the statements and the rules are those of the embedded storage. Reads see committed states only, each call one.

package import Foundation
package import SluicePostgreSQL
package import SluiceRecords
import Synchronization

/// Storage on a server. Made by `open`, ended by `close`.
package final class PostgreSQLRecordStorage: TransactionalStorage {
    /// Connections of one process, beside the one that listens. They are made when they are needed.
    package struct Connections: Sendable {
        package var writers = 4
        package var readers = 4
        /// For what looks at many rows: queries, checks.
        package var scanners = 2
        package init() {}

        /// - Parameter total: with the two that listen and keep tokens; at least five.
        package init(total: Int) {
            let rest = max(3, total - 2)
            scanners = max(1, rest / 5)
            readers = max(1, (rest - scanners) / 2)
            writers = max(1, rest - scanners - readers)
        }

        /// For a command, which does one thing after the other.
        package static let few: Connections = {
            var few = Connections()
            (few.writers, few.readers, few.scanners) = (1, 1, 1)
            return few
        }()
        /// With the two that listen and keep tokens.
        package var total: Int { writers + readers + scanners + 2 }
    }

    private let server: PostgreSQLServer
    private let writers: [WriteQueue]
    private let registry: WriteQueue
    private let readers: PostgreSQLPool
    private let scanners: PostgreSQLPool
    private let notifier: PostgreSQLNotifier
    private let counted = Mutex<(at: ContinuousClock.Instant, statistics: StorageStatistics)?>(nil)
    package let signal = CommitSignal()
    package let environment: StorageEnvironment
    package let assetKey: Data

    private init(_ server: PostgreSQLServer, _ connections: Connections, _ environment: StorageEnvironment, assetKey: Data) throws(StorageError) {
        self.server = server
        self.environment = environment
        self.assetKey = assetKey
        let (notifier, signal) = (try PostgreSQLNotifier(server, signal), signal)
        self.notifier = notifier
        let queue = { (label: String) in
            let writer = PostgreSQLCommitter(server, environment) { changed in
                signal.notify(changed)
                notifier.tell(changed)
            }
            return WriteQueue(writer, label: "sluice.records.postgresql.\(label)")
        }
        writers = (0..<max(1, connections.writers)).map { queue("writer.\($0)") }
        registry = queue("registry")
        let sessions = (0..<max(1, connections.readers) + max(1, connections.scanners)).map { PostgreSQLSession(server, number: $0) }
        readers = PostgreSQLPool(Array(sessions.prefix(max(1, connections.readers))))
        scanners = PostgreSQLPool(Array(sessions.dropFirst(max(1, connections.readers))))
        notifier.start()
    }

    deinit { notifier.stop() }

    /// Opens a service's tables.
    /// - Parameters:
    ///   - creates: makes them, with a new epoch, where they are not there.
    ///   - onStatement: hears the text of every statement that the server reads; for tests.
    /// - Throws: `unavailable`, also for tables of a later version.
    package static func open(
        _ target: PostgreSQLTarget, creates: Bool, connections: Connections = Connections(), environment: StorageEnvironment = .system,
        onStatement: (@Sendable (String) -> Void)? = nil
    ) throws(StorageError) -> PostgreSQLRecordStorage {
        do {
            let server = PostgreSQLServer(target, onStatement: onStatement)
            let connection = try server.connect()
            guard try creates || PostgreSQLSchema.exists(target, on: connection) else {
                throw StorageError.unavailable("there is no record service in this database; make one with: sluice-records init --storage …")
            }
            try PostgreSQLSchema.migrate(target, on: connection, creates: creates, random: environment.random)
            let key = try connection.run("/* global: the service's own row */ SELECT asset_key FROM service").data(0, 0)
            return try PostgreSQLRecordStorage(server, connections, environment, assetKey: key)
        } catch {
            throw StorageError(error)
        }
    }

    /// Whether a service's tables are there.
    package static func exists(_ target: PostgreSQLTarget) throws(StorageError) -> Bool {
        do { return try PostgreSQLSchema.exists(target, on: try PostgreSQLServer(target).connect()) } catch { throw StorageError(error) }
    }

    /// Takes a service's tables away, with all that is in them: for benchmarks, which make their own.
    package static func remove(_ target: PostgreSQLTarget) throws(StorageError) {
        do { try PostgreSQLSchema.remove(target, on: try PostgreSQLServer(target).connect()) } catch { throw StorageError(error) }
    }

    package var epoch: Epoch {
        get async throws(StorageError) { try await readers.withSession { session throws(StorageError) in try await session.read { $0.epoch } } }
    }

    /// Begins a new timeline: every token from before is refused, and every device sends what this database may have lost. For a database that
    /// was restored from a copy.
    package func beginEpoch() async throws(StorageError) {
        let epoch = environment.random()
        try await registry.perform(in: .registry) { transaction in
            try transaction.connection.write("/* global: the timeline */ UPDATE service SET epoch = ?", [.init(bits: epoch)])
        }
    }

    // MARK: Transactions

    /// Writers of one database share a connection, so that they wait together and not for each other's locks.
    package func write<Result: Sendable>(
        to scope: WriteScope, weight: Int, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws(StorageError) -> Result {
        switch scope {
        case .database(let database):
            let writer = writers[Int(database.rawValue.magnitude % UInt64(writers.count))]
            return try await writer.perform(in: scope, weight: weight, body)
        case .registry, .all: return try await registry.perform(in: scope, weight: weight, body)
        }
    }

    package func read<Result: Sendable>(_ body: @escaping @Sendable (FeedReading) throws -> Result) async throws(StorageError) -> Result {
        try await readers.withSession { session throws(StorageError) in try await session.read(body) }
    }

    package func scan<Result: Sendable>(_ body: @escaping @Sendable (FeedReading) throws -> Result) async throws(StorageError) -> Result {
        try await scanners.withSession { session throws(StorageError) in try await session.read(body) }
    }

    // MARK: What is done otherwise than in a file

    /// Every request begins with one of these three: one statement, without a transaction around it.
    package func caller(digest: Data, for path: DatabasePath) async throws(StorageError) -> Caller? {
        let now = environment.now()
        return try await readers.withSession { session throws(StorageError) in
            try await session.look { try CredentialReading(connection: $0, now: now).caller(digest, path) }
        }
    }

    package func acceptsAPIToken(digest: Data, for path: DatabasePath) async throws(StorageError) -> Bool {
        let now = environment.now()
        return try await readers.withSession { session throws(StorageError) in
            try await session.look { try CredentialReading(connection: $0, now: now).acceptsAPIToken(digest, path) }
        }
    }

    package func serverKey(identifier: Data, for path: DatabasePath) async throws(StorageError) -> ServerKey? {
        let now = environment.now()
        return try await readers.withSession { session throws(StorageError) in
            try await session.look { try CredentialReading(connection: $0, now: now).serverKey(identifier, path) }
        }
    }

    package func databaseChanges(since token: SyncToken?, limit: Int, in database: DatabaseID) async throws(StorageError) -> DatabaseFeedPage {
        let page = try await read { try $0.databasePage(since: token, limit: limit, in: database) }
        if !page.moreComing { notifier.saw(database, upTo: page.token.sequence) }
        return page
    }

    package func forgetAssets(unusedSince time: Int64, limit: Int) async throws(StorageError) -> [ForgottenAsset] {
        var forgotten: [ForgottenAsset] = []
        for database in try await read({ try $0.databasesWithUnusedAssets(since: time, limit: limit) }) where forgotten.count < limit {
            let count = limit - forgotten.count
            forgotten += try await write(to: .database(database), weight: 1) { try $0.forgetAssets(unusedSince: time, limit: count, in: database) }
        }
        return forgotten
    }

    package func prune() async throws(StorageError) {
        let times = PruningTimes(now: environment.now())
        for database in try await scan({ try $0.prunable(times) }) {
            try await write(to: .database(database), weight: 1) { try $0.prune(database, times) }
        }
    }

    /// Counting a million users takes a while, and whoever asks every few seconds gets the same answer for a minute; that the server answers at
    /// all is tried each time.
    package func statistics() async throws(StorageError) -> StorageStatistics {
        _ = try await epoch
        if let known = counted.withLock({ $0 }), ContinuousClock.now - known.at < .seconds(60) { return known.statistics }
        let statistics = try await scan { try $0.statistics() }
        counted.withLock { $0 = (.now, statistics) }
        return statistics
    }

    package func engineFaults() async throws(StorageError) -> [String] {
        try await scan { reading in
            var faults = try reading.connection.rows(
                "SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off'"
            ) { "the server runs with \($0.text(0)) off: a power failure may damage everything" }
            faults += try reading.connection.rows(
                """
                SELECT class.relname FROM pg_index JOIN pg_class class ON class.oid = pg_index.indexrelid
                WHERE NOT indisvalid AND class.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
                """
            ) { "the index \($0.text(0)) is not valid; run: REINDEX INDEX \($0.text(0))" }
            return faults
        }
    }

    package func close() async {
        for writer in writers { await writer.close() }
        await registry.close()
        // A command ends right after this, and what it changed should be known.
        await notifier.stop(within: .seconds(2))
        readers.close()
        scanners.close()
    }
}
