import Foundation
import Glibc
import SluiceSchema
import SluiceSQLite
import Testing

@testable import SluiceStore

@Suite(.timeLimit(.minutes(10))) struct StoreRestoreTests {
    private let fixture: MigrationFixture

    init() throws {
        fixture = try MigrationFixture()
        try put("one", image: 1)
    }

    private func put(_ name: String, image: UInt8) throws { try Self.put(name, image: image, fixture) }

    private static func put(_ name: String, image: UInt8, _ fixture: MigrationFixture) throws {
        try fixture.open(.gallery) { store in
            let edit = RowEdit(attributes: ["title": .string(name), "image": .data(.sample(Data.limit + 1, image))])
            try store.write { _ = try store.put("Photo", name: .text(name), edit) }
        }
    }

    private func titles() throws -> [String] {
        try fixture.open { store in
            #expect(try store.externalFaults(checkingContents: true).isEmpty)
            #expect(try store.connection.integrityFaults().isEmpty)
            return try store.connection.rows("SELECT title FROM Photo ORDER BY title") { $0.text(0) }
        }
    }

    @discardableResult
    private func backup(_ label: String = "manual") throws -> StoreBackup { try StoreBackup.make(of: fixture.path, label: label) }

    // MARK: What it does

    @Test func `a backup comes into the store's place with its values in files, and restoring what it replaced undoes it`() throws {
        let backup = try backup()
        try put("two", image: 2)
        try fixture.open { store in
            try store.write { _ = try store.delete(.text("one")) }
            // A value of the backup that the store has lost meanwhile comes back with it.
            let values = try #require(store.externalWriter?.values)
            try FileManager.default.removeItem(atPath: values.path(of: ExternalValueWriter.reference(to: .sample(Data.limit + 1, 1))))
            try store.connection.execute("DELETE FROM _sluice_change; DELETE FROM _sluice_old_1")
        }
        let result = try backup.restore(to: fixture.path)
        #expect(try titles() == ["one"])
        let kept = try #require(result.kept)
        #expect(kept.kind == .beforeRestore && kept.details().fault == nil && !result.keptIsDamaged && !result.isSynced)
        #expect(try kept.rowCounts() == ["Photo": 1])
        // The backup itself is as it was, and opens.
        #expect(backup.details().fault == nil)
        try kept.restore(to: fixture.path)
        #expect(try titles() == ["two"])
    }

    @Test func `no backup goes to make room for what a restore replaced, and none of those goes by itself`() throws {
        var backups: [StoreBackup] = []
        for _ in 0..<3 { backups.append(try backup("1.0.0")) }
        for _ in 0..<5 { try backups[0].restore(to: fixture.path) }
        let all = try StoreBackup.all(of: fixture.path)
        #expect(all.count == 8 && Set(backups).isSubset(of: Set(all)))
        try backup("1.0.0")
        try backup("manual")
        #expect(try StoreBackup.all(of: fixture.path).map(\.kind).count { $0 == .beforeRestore } == 5)
        #expect(try StoreBackup.all(of: fixture.path).map(\.kind).count { $0 == .migration } == 3)
    }

    @Test func `a backup tells its schema's version, its moment, its size, its rows, and whether it is sound`() throws {
        let moment = Date(timeIntervalSince1970: 1_780_000_000)
        let backup = try StoreBackup.make(of: fixture.path, label: "1.0.0", at: moment)
        let details = backup.details()
        #expect(details.schemaVersion == "1.0.0" && details.fault == nil && details.byteCount > Data.limit && backup.date == moment)
        #expect(try backup.rowCounts() == ["Photo": 1])
        let external = URL(filePath: backup.path).deletingLastPathComponent().appending(path: ".Private_SUPPORT")
        try FileManager.default.removeItem(at: external)
        #expect(backup.details().fault != nil)
        try Data("no database".utf8).write(to: URL(filePath: backup.path))
        #expect(backup.details().fault != nil && backup.details().schemaVersion == nil)
    }

    @Test func `keys and positions that the replaced store gave are not given again, and history says from where it is another`() throws {
        let backup = try backup()
        try put("two", image: 2)
        func lastKey() throws -> Int { try fixture.count("SELECT max(_pk) FROM Photo") }
        func lastPosition() throws -> Int { try fixture.count("SELECT max(seq) FROM _sluice_change") }
        let (key, position) = (try lastKey(), try lastPosition())
        try backup.restore(to: fixture.path)
        try put("three", image: 3)
        #expect(try lastKey() == key + 1)
        #expect(try lastPosition() > position + 1)
        try fixture.open { store in
            let log = try #require(try LogReader(store.connection, layout: store.layout) { 0 })
            // What both states had, what only the replaced one had, and what came after.
            let replaced = try [1, Int64(position), Int64(position) + 2].map { try log.wasReplaced(after: $0) }
            #expect(replaced == [false, true, false])
        }
    }

    // MARK: What is refused

    /// Runs `body`, which is to be refused; the store must not change.
    private func refusal(_ body: () throws -> Void) throws -> RestoreFailure {
        let before = try titles()
        let failure = try #require(throws: RestoreFailure.self, performing: body)
        #expect(try titles() == before)
        return failure
    }

    @Test func `a store that a program has open is not replaced`() throws {
        let backup = try backup()
        try put("two", image: 2)
        let failure = try refusal {
            try fixture.open { store in
                _ = try store.connection.integer("SELECT count(*) FROM Photo")
                try backup.restore(to: fixture.path)
            }
        }
        guard case .inUse = failure.reason else { return #expect(Bool(false), "\(failure)") }
        #expect(failure.description.contains("Close every program"))
        // Nothing is left of the attempt.
        #expect(try StoreBackup.all(of: fixture.path) == [backup])
    }

    @Test func `a store whose account a coordinator runs is not replaced, and a coordinator does not start meanwhile`() throws {
        let backup = try backup()
        let path = fixture.folder.appending(path: "coordinator.lock").path
        try Data("4711\n".utf8).write(to: URL(filePath: path))
        do {
            let descriptor = open(path, O_RDWR)
            defer { close(descriptor) }
            #expect(flock(descriptor, LOCK_EX) == 0)
            let failure = try refusal { try backup.restore(to: fixture.path) }
            guard case .accountRuns(holder: 4_711) = failure.reason else { return #expect(Bool(false), "\(failure)") }
        }
        let lock = try #require(try RestoreLock(besideStore: fixture.path, isOwned: false))
        withExtendedLifetime(lock) {
            let descriptor = open(path, O_RDWR)
            defer { close(descriptor) }
            #expect(flock(descriptor, LOCK_EX | LOCK_NB) != 0)
            #expect(FileManager.default.contents(atPath: path) == Data("\(getpid())\n".utf8))
        }
    }

    @Test func `a damaged backup, and one of another account, are refused`() throws {
        let backup = try backup()
        try put("two", image: 2)
        let other = try MigrationFixture()
        var options = other.options
        options.owner = "account b"
        try Store(path: other.path, schema: Schema(name: "test", validating: .gallery), options: options).write {}
        let foreign = try StoreBackup.make(of: other.path, label: "1.0.0")
        do {
            let connection = try Connection(path: fixture.path, mode: .readWrite)
            try connection.run("UPDATE _sluice_store SET value = 'account a' WHERE key = 'owner'")
        }
        guard case .otherOwner = try refusal({ try foreign.restore(to: fixture.path) }).reason else { return #expect(Bool(false)) }
        var bytes = try Data(contentsOf: URL(filePath: backup.path))
        bytes.replaceSubrange(4_096..<16_384, with: Data(repeating: 0x5A, count: 12_288))
        try bytes.write(to: URL(filePath: backup.path))
        guard case .badBackup = try refusal({ try backup.restore(to: fixture.path) }).reason else { return #expect(Bool(false)) }
    }

    // MARK: Damage

    @Test func `a store that cannot be read is replaced, and its files are kept as they are`() throws {
        let backup = try backup()
        let rubbish = Data("this is no database, but nobody else may say so".utf8)
        try rubbish.write(to: URL(filePath: fixture.path))
        try rubbish.write(to: URL(filePath: fixture.path + "-wal"))
        let result = try backup.restore(to: fixture.path)
        #expect(try titles() == ["one"])
        let kept = try #require(result.kept)
        #expect(result.keptIsDamaged && kept.details().fault != nil)
        #expect(FileManager.default.contents(atPath: kept.path) == rubbish)
        #expect(FileManager.default.contents(atPath: kept.path + "-wal") == rubbish)
    }

    @Test func `a store that is gone comes back, and a log that it left behind is not replayed into it`() throws {
        let backup = try backup()
        for suffix in ["", "-shm"] { try FileManager.default.removeItem(atPath: fixture.path + suffix) }
        try FileManager.default.removeItem(at: fixture.folder.appending(path: ".Private_SUPPORT"))
        try backup.restore(to: fixture.path)
        #expect(try titles() == ["one"])
    }
}
