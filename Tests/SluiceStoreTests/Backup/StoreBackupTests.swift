import Foundation
import SluiceSchema
import Testing

@testable import SluiceStore

@Suite(.timeLimit(.minutes(10))) struct StoreBackupTests {
    private let fixture: StoreFixture
    private var path: String { fixture.folder.appending(path: "Private.store").path }

    init() throws { fixture = try StoreFixture(.shop) }

    @Test func `several who back a store up at once make whole backups one after the other, and three stay`() async throws {
        let path = path
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 { group.addTask { try StoreBackup.make(of: path, label: "1.0.0", at: now) } }
            while let result = await group.nextResult() { #expect(throws: Never.self) { try result.get() } }
        }
        let backups = try StoreBackup.all(of: path)
        // All were made in one second; the numbers behind it say which are the newest.
        let names = backups.map { URL(filePath: $0.path).deletingLastPathComponent().lastPathComponent }
        #expect(names.map { $0.split(separator: "-").last } == ["4", "5", "6"])
        for backup in backups { #expect(try Store.schema(at: backup.path)?.entities.count == 3) }
    }

    @Test func `what a killed program left of a backup goes with the next one`() throws {
        let attempt = "\(path).backups/.1.0.0-20260101T000000Z.partial"
        try FileManager.default.createDirectory(atPath: attempt, withIntermediateDirectories: true)
        #expect(FileManager.default.createFile(atPath: attempt + "/Private.store", contents: Data([1])))
        #expect(try StoreBackup.all(of: path).isEmpty)
        try StoreBackup.make(of: path, label: "1.0.0")
        #expect(!FileManager.default.fileExists(atPath: attempt))
        #expect(try StoreBackup.all(of: path).count == 1)
    }

    @Test func `backups of migrations that were killed do not gather, and one of a migration that took place stays`() throws {
        let held = try #require(try Store.schema(at: path))
        let past = try StoreBackup.make(of: path, label: "0.9.0")
        func begin(_ schema: Schema) throws -> ProvisionalBackup { try ProvisionalBackup(of: path, held: schema) { _, _ in } }
        func names() throws -> [String] { try StoreBackup.all(of: path).map(\.name) }
        // Given up without a word, as a killed process does.
        for _ in 0..<4 { _ = try begin(held) }
        #expect(try names().count == 2)
        let running = try begin(held)
        // Another process in the same place takes nothing from one that lives.
        let rival = try begin(held)
        #expect(try names().count == 3)
        try rival.remove()
        try running.settle()
        #expect(try names().count == 2)
        // Killed after its commit: the store is of another shape by the next time.
        _ = try begin(held)
        _ = try begin(Schema(name: "other", validating: [Entity("Other")]))
        #expect(try names().count == 4 && names().contains(past.name))
        struct Stopped: Error {}
        #expect(throws: BackupFailure.self) { try ProvisionalBackup(of: path, held: held) { _, _ in throw Stopped() } }
        #expect(throws: CancellationError.self) { try ProvisionalBackup(of: path, held: held) { _, _ in throw CancellationError() } }
    }
}
