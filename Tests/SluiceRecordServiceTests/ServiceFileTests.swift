import Foundation
import SluiceRecords
import SluiceSQLite
import Testing

@testable import SluiceRecordService

/// The embedded storage's file over its versions.
@Suite struct ServiceFileTests {
    private func change(_ fixture: StorageFixture, _ script: String) throws {
        let connection = try Connection(path: fixture.folder.appendingPathComponent("records.sqlite").path, mode: .readWrite)
        try connection.execute(script)
    }

    /// Takes away what later versions brought.
    private static let headOfBefore =
        ["nonce", "sequence", "head_nonce", "bytes"].map { name in
            "ALTER TABLE database ADD COLUMN \(name) INTEGER NOT NULL DEFAULT 0; UPDATE database SET \(name) = (SELECT \(name) FROM head WHERE database = database.id);"
        }.joined() + "DROP TABLE head;"
    private static let tokensOfBefore =
        headOfBefore + "DROP TABLE record_field; DROP INDEX token_by_next; DROP INDEX token_by_previous;"
        + ["public_key", "rotation", "next_digest", "previous_digest", "rotated"].map { " ALTER TABLE token DROP COLUMN \($0);" }.joined()

    @Test func `a file of version 1 gets what it lacks at its first start, and keeps the rest`() async throws {
        let fixture = try await StorageFixture(.sqlite)
        try await fixture.done([create("r")])
        let (epoch, token) = (try await fixture.storage.epoch, try await fixture.feed().token)
        let news = try await fixture.storage.databaseChanges(since: nil, limit: 10, in: fixture.database)
        await fixture.storage.close()
        try change(fixture, "DROP TABLE asset; DROP TABLE asset_use; \(Self.tokensOfBefore) ALTER TABLE service DROP COLUMN asset_key; ALTER TABLE zone DROP COLUMN former; UPDATE service SET version = 1")
        try await fixture.reopen()
        #expect(try await fixture.storage.epoch == epoch && fixture.storage.assetKey.count == 32)
        #expect(try await fixture.record("r") != nil)
        #expect(try await fixture.feed(token).names == [])
        let later = try await fixture.storage.databaseChanges(since: news.token, limit: 10, in: fixture.database)
        #expect(later.zones.isEmpty && later.token == news.token)
        #expect(try await fixture.storage.faults(in: fixture.database) == [])
        try await fixture.done([create("s")])
        let next = try await fixture.storage.databaseChanges(since: news.token, limit: 10, in: fixture.database)
        #expect(next.zones.map(\.zoneID.zoneName) == ["Notes"] && next.token.sequence == news.token.sequence + 1)
        let asset = StoredAsset(id: AssetID(random: { 1 }), digest: Data(count: 32), byteCount: 1)
        try await fixture.storage.addAsset(asset, quota: .max, in: fixture.database)
        let key = fixture.storage.assetKey
        try await fixture.reopen()
        #expect(fixture.storage.assetKey == key)
        #expect(try await fixture.storage.assets([asset.id], in: fixture.database) == [asset])
    }

    @Test func `a file of a later version is refused and left as it is`() async throws {
        let fixture = try await StorageFixture(.sqlite)
        await fixture.storage.close()
        try change(fixture, "UPDATE service SET version = 99, asset_key = NULL")
        await #expect(throws: StorageError.self) { try await fixture.reopen() }
        let connection = try Connection(path: fixture.folder.appendingPathComponent("records.sqlite").path, mode: .readOnly)
        #expect(try connection.integer("SELECT version FROM service") == 99)
        #expect(try connection.integer("SELECT asset_key IS NULL FROM service") == 1)
    }

    @Test func `what one process of a data directory commits ends a wait in the one that serves it`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sluice-changes-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let directory = DataDirectory(path: folder.path)
        await (try directory.create()).close()
        let (served, command) = (try directory.open(serves: true), try directory.open(serves: false))
        let database = try await StorageFixture.addUser("ann", to: served)
        let watch = served.watch(database)
        let start = ContinuousClock.now
        _ = try await command.modifyZones([ZoneOperation(.create, ZoneID("Notes"))], in: database)
        await watch.wait(.seconds(60))
        // Without the word it waits the whole minute.
        #expect(ContinuousClock.now - start < .seconds(50))
        await command.close()
        await served.close()
    }
}
