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
    private static let tokensOfBefore =
        "DROP TABLE record_field; DROP INDEX token_by_next; DROP INDEX token_by_previous;"
        + ["public_key", "rotation", "next_digest", "previous_digest", "rotated"].map { " ALTER TABLE token DROP COLUMN \($0);" }.joined()

    @Test func `a file of version 1 gets what it lacks at its first start, and keeps the rest`() async throws {
        let fixture = try await StorageFixture(.sqlite)
        try await fixture.done([create("r")])
        let (epoch, token) = (try await fixture.storage.epoch, try await fixture.feed().token)
        await fixture.storage.close()
        try change(fixture, "DROP TABLE asset; DROP TABLE asset_use; \(Self.tokensOfBefore) ALTER TABLE service DROP COLUMN asset_key; ALTER TABLE zone DROP COLUMN former; UPDATE service SET version = 1")
        try await fixture.reopen()
        #expect(try await fixture.storage.epoch == epoch && fixture.storage.assetKey.count == 32)
        #expect(try await fixture.record("r") != nil)
        #expect(try await fixture.feed(token).names == [])
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
}
