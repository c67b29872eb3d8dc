import Foundation
import PostgreSQLFixture
import SluicePostgreSQL
import SluiceRecords
import Synchronization
import Testing

@testable import SluiceRecordService

/// The engines that the conformance suite runs on. A new one is one more case.
enum StorageEngine: String, CaseIterable, Sendable {
    case sqlite
    case postgresql
    /// Two storages on one database, as two processes have them; each call goes to the other one than the call before.
    case postgresqlPair
}

/// A clock that tests move.
final class TestClock: Sendable {
    private let milliseconds = Mutex<Int64>(1_700_000_000_000)

    var now: Int64 { milliseconds.withLock { $0 } }
    func advance(minutes: Int64) { milliseconds.withLock { $0 += minutes * 60_000 } }
    func advance(days: Int64) { milliseconds.withLock { $0 += days * 86_400_000 } }
}

/// One storage in a folder or a schema of its own, with one user and a custom zone `Notes`.
final class StorageFixture: Sendable {
    private struct Opened {
        var storages: [any RecordStorage]
        var turn = 0
    }

    let engine: StorageEngine
    let folder: URL
    /// Of the tables on a server.
    let schema = "test_\(UInt64.random(in: .min ... .max))"
    let clock = TestClock()
    private let opened: Mutex<Opened>
    private let onStatement: (@Sendable (String) -> Void)?
    let database: DatabaseID
    let zone = ZoneID("Notes")
    static let path = DatabasePath(container: "iCloud.test", environment: .development, scope: .private)

    var storage: any RecordStorage {
        opened.withLock { opened in
            opened.turn += 1
            return opened.storages[opened.turn % opened.storages.count]
        }
    }

    /// - Parameter onStatement: hears of each statement that a PostgreSQL server reads.
    init(_ engine: StorageEngine, onStatement: (@Sendable (String) -> Void)? = nil) async throws {
        self.engine = engine
        self.onStatement = onStatement
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("sluice-storage-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let storages = try Self.open(engine, folder, schema, clock, onStatement)
        opened = Mutex(Opened(storages: storages))
        database = try await Self.addUser("ann", to: storages[0])
        let results = try await storages[0].modifyZones([ZoneOperation(.create, ZoneID("Notes"))], in: database)
        guard case .zone = results[0] else { throw StorageError.unavailable("no zone") }
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
        let storages = opened.withLock { $0.storages }
        // Connections go with the storages; the schema goes with the server.
        if engine != .sqlite { Task { for storage in storages { await storage.close() } } }
    }

    private static func open(
        _ engine: StorageEngine, _ folder: URL, _ schema: String, _ clock: TestClock, _ onStatement: (@Sendable (String) -> Void)?
    ) throws -> [any RecordStorage] {
        let environment = StorageEnvironment(now: { clock.now }, random: { UInt64.random(in: .min ... .max) })
        if engine == .sqlite { return [try SQLiteRecordStorage.open(path: folder.appendingPathComponent("records.sqlite").path, environment: environment)] }
        let target = try PostgreSQLTarget(PostgreSQLCluster.shared.get().target() + "&application_name=\(schema)", schema: schema)
        var connections = PostgreSQLRecordStorage.Connections()
        (connections.writers, connections.readers, connections.scanners) = (2, 2, 1)
        return try (0..<(engine == .postgresql ? 1 : 2)).map { _ in
            try PostgreSQLRecordStorage.open(target, creates: true, connections: connections, environment: environment, onStatement: onStatement)
        }
    }

    private func close() async { for storage in opened.withLock({ $0.storages }) { await storage.close() } }

    private func openAgain() throws {
        let storages = try Self.open(engine, folder, schema, clock, onStatement)
        opened.withLock { $0.storages = storages }
    }

    static func addUser(_ name: String, to storage: any RecordStorage) async throws -> DatabaseID {
        let digest = Data((0..<32).map { _ in UInt8.random(in: 0...255) })
        try await storage.addToken(
            NewToken(.user(name: name, holder: "test"), digest: digest, container: path.container, environment: path.environment))
        return try #require(await storage.caller(digest: digest, for: path)).database
    }

    // MARK: Copies, as an operator makes them of a stopped service

    func reopen() async throws {
        await close()
        try openAgain()
    }

    private static let files = ["records.sqlite", "records.sqlite-wal", "records.sqlite-shm"]
    private var dump: URL { folder.appendingPathComponent("backup.sql") }

    func backUp() async throws {
        await close()
        if engine == .sqlite {
            let backup = folder.appendingPathComponent("backup")
            try FileManager.default.createDirectory(at: backup, withIntermediateDirectories: true)
            for name in Self.files.prefix(2) {
                let source = folder.appendingPathComponent(name)
                if FileManager.default.fileExists(atPath: source.path) {
                    try FileManager.default.copyItem(at: source, to: backup.appendingPathComponent(name))
                }
            }
        } else {
            try PostgreSQLCluster.shared.get().run("pg_dump", ["--schema", schema]).write(to: dump, atomically: true, encoding: .utf8)
        }
        try openAgain()
    }

    func restoreBackup() async throws {
        await close()
        if engine == .sqlite {
            for name in Self.files {
                let target = folder.appendingPathComponent(name)
                try? FileManager.default.removeItem(at: target)
                let source = folder.appendingPathComponent("backup/\(name)")
                if FileManager.default.fileExists(atPath: source.path) { try FileManager.default.copyItem(at: source, to: target) }
            }
        } else {
            let script = "SET client_min_messages = warning; DROP SCHEMA \(schema) CASCADE;\n" + (try String(contentsOf: dump, encoding: .utf8))
            try PostgreSQLCluster.shared.get().run("psql", [], input: script)
        }
        try openAgain()
    }

    // MARK: Short forms

    func modify(
        _ operations: [RecordOperation], atomic: Bool = true, id: OperationID? = nil, quota: Int64 = .max, zone: ZoneID? = nil,
        buriesUnknown: Bool = false
    ) async throws -> ModifyOutcome {
        let elements = try operations.map { PreparedElement.operation(try PreparedOperation($0)) }
        return try await storage.modify(
            ModifyCommand(
                database: database, zone: zone ?? self.zone, isAtomic: atomic, elements: elements, operation: id, deviceID: "test", quota: quota,
                buriesUnknown: buriesUnknown))
    }

    /// The results of operations that were done now.
    @discardableResult
    func done(
        _ operations: [RecordOperation], atomic: Bool = true, id: OperationID? = nil, quota: Int64 = .max, buriesUnknown: Bool = false
    ) async throws -> [RecordResult] {
        guard case .done(let results) = try await modify(operations, atomic: atomic, id: id, quota: quota, buriesUnknown: buriesUnknown) else {
            throw StorageError.unavailable("a replay")
        }
        return results
    }

    func record(_ name: String) async throws -> Record? {
        try await storage.records(named: [name], zone: zone, in: database)[0]?.decoded()
    }

    func page(_ token: SyncToken? = nil, limit: Int = 200, isReversed: Bool = false, types: [String]? = nil) async throws -> FeedPage {
        try await storage.zoneChanges(
            FeedQuery(zone: zone, token: token, isReversed: isReversed, limit: limit, recordTypes: types), in: database)
    }

    /// The pages from a token to the end.
    func feed(_ token: SyncToken? = nil, limit: Int = 200) async throws -> (names: [String], token: SyncToken) {
        var names: [String] = []
        var token = token
        while true {
            let page = try await page(token, limit: limit)
            names += page.records.map { ($0.head.isDeleted ? "-" : "") + $0.head.recordName }
            token = page.token
            if !page.moreComing { return (names, page.token) }
        }
    }
}

func note(_ name: String, _ fields: [String: Field] = ["n": Field(.int64(1))], tag: String? = nil) -> Record {
    Record(name, type: "Note", changeTag: tag, fields: fields)
}

func create(_ name: String) -> RecordOperation { RecordOperation(.create, note(name)) }
