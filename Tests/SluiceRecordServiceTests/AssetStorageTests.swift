import Foundation
import SluiceRecords
import Testing

@testable import SluiceRecordService

/// What every storage engine knows about files.
@Suite struct AssetStorageTests {
    private static let hour: Int64 = 3_600_000

    private func upload(_ fixture: StorageFixture, bytes: Int64 = 100, quota: Int64 = .max, in database: DatabaseID? = nil) async throws -> StoredAsset {
        let asset = StoredAsset(
            id: AssetID(random: { UInt64.random(in: .min ... .max) }), digest: Data((0..<32).map { _ in UInt8.random(in: 0...255) }), byteCount: bytes)
        try await fixture.storage.addAsset(asset, quota: quota, in: database ?? fixture.database)
        return asset
    }

    private func value(_ asset: StoredAsset) -> Field {
        var value = Asset(fileChecksum: asset.fileChecksum, size: asset.byteCount)
        value.receipt = asset.id.description
        return Field(.asset(value))
    }

    /// What is forgotten now, of what nobody has used for an hour.
    private func forgotten(_ fixture: StorageFixture) async throws -> Set<AssetID> {
        Set(try await fixture.storage.forgetAssets(unusedSince: fixture.clock.now - Self.hour, limit: 100).map(\.asset))
    }

    private func wait(_ fixture: StorageFixture) { fixture.clock.advance(days: 1) }

    @Test(arguments: StorageEngine.allCases)
    func `a file is known to its database only`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        let asset = try await upload(fixture)
        let stranger = try await StorageFixture.addUser("bob", to: fixture.storage)
        let unknown = AssetID(random: { 1 })
        #expect(try await fixture.storage.assets([unknown, asset.id], in: fixture.database) == [nil, asset])
        #expect(try await fixture.storage.assets([asset.id], in: stranger) == [nil])
        #expect(try await fixture.storage.keepAssets([asset.id], in: stranger) == [nil])
        _ = try await fixture.storage.modifyZones([ZoneOperation(.create, ZoneID("Notes"))], in: stranger)
        let operation = try PreparedOperation(RecordOperation(.create, note("r", ["f": value(asset)])))
        let command = ModifyCommand(database: stranger, zone: fixture.zone, isAtomic: true, elements: [.operation(operation)])
        guard case .done(let results) = try await fixture.storage.modify(command) else { throw StorageError.unavailable("a replay") }
        #expect(results[0].error?.code == .badRequest)
        let key = fixture.storage.assetKey
        try await fixture.reopen()
        #expect(fixture.storage.assetKey == key && key.count == 32 && Set(key).count > 8)
    }

    @Test(arguments: StorageEngine.allCases)
    func `a file lives as long as a record names it, and some time longer`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        let (unused, used, listed) = (try await upload(fixture), try await upload(fixture), try await upload(fixture))
        guard case .asset(let element)? = value(listed).value else { return }
        try await fixture.done([
            RecordOperation(.create, note("a", ["f": value(used), "l": Field(.assetList([element, element]))])), RecordOperation(.create, note("b", ["f": value(used)])),
        ])
        #expect(try await forgotten(fixture) == [])
        wait(fixture)
        #expect(try await forgotten(fixture) == [unused.id])
        // Other fields change, one of two users goes: both files are used still.
        try await fixture.done([RecordOperation(.forceUpdate, note("a", ["n": Field(.int64(1))])), RecordOperation(.forceDelete, Record("b"))])
        wait(fixture)
        #expect(try await forgotten(fixture) == [])
        try await fixture.done([RecordOperation(.forceUpdate, note("a", ["f": Field(nil), "l": Field(.assetList([]))]))])
        #expect(try await forgotten(fixture) == [])
        wait(fixture)
        #expect(try await forgotten(fixture) == [used.id, listed.id])
        let late = try await fixture.done([RecordOperation(.create, note("c", ["f": value(used)]))])
        #expect(late[0].error?.reason.contains("upload it again") == true)
    }

    enum Ending: CaseIterable, Sendable { case deletion, cascade, replacement, zone, failedBatch }

    @Test(arguments: StorageEngine.allCases, Ending.allCases)
    func `whatever takes a record away takes its hold on files away, and what fails takes nothing`(engine: StorageEngine, ending: Ending) async throws {
        let fixture = try await StorageFixture(engine)
        let asset = try await upload(fixture)
        let parent = Field(.reference(Reference(recordName: "parent", action: .deleteSelf)))
        try await fixture.done([create("parent"), RecordOperation(.create, note("r", ["f": value(asset), "p": parent]))])
        switch ending {
        case .deletion: try await fixture.done([RecordOperation(.forceDelete, Record("r"))])
        case .cascade: try await fixture.done([RecordOperation(.forceDelete, Record("parent"))])
        case .replacement: try await fixture.done([RecordOperation(.forceReplace, note("r", [:]))])
        case .zone: _ = try await fixture.storage.modifyZones([ZoneOperation(.delete, fixture.zone)], in: fixture.database)
        case .failedBatch: try await fixture.done([RecordOperation(.forceDelete, Record("r")), create("parent")])
        }
        wait(fixture)
        #expect(try await forgotten(fixture) == (ending == .failedBatch ? [] : [asset.id]))
    }

    @Test(arguments: StorageEngine.allCases)
    func `a file written back stays the one that is there, and only in its field`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        let asset = try await upload(fixture)
        try await fixture.done([RecordOperation(.create, note("r", ["f": value(asset)]))])
        let read = Field(.asset(Asset(fileChecksum: asset.fileChecksum, size: asset.byteCount)))
        let back = try await fixture.done([RecordOperation(.forceReplace, note("r", ["f": read]))])
        #expect(back[0].error == nil)
        #expect(try await fixture.record("r")?.fields["f"] == value(asset))
        for operation in [
            RecordOperation(.forceUpdate, note("r", ["g": read])), RecordOperation(.create, note("s", ["f": read])),
            RecordOperation(.forceUpdate, note("r", ["f": Field(.asset(Asset(fileChecksum: "AQ==", size: 1)))])),
        ] { #expect(try await fixture.done([operation])[0].error?.reason.contains("needs the receipt") == true) }
        var wrong = Asset(fileChecksum: "AQ==", size: asset.byteCount)
        wrong.receipt = asset.id.description
        #expect(try await fixture.done([RecordOperation(.create, note("s", ["f": Field(.asset(wrong))]))])[0].error?.reason.contains("checksums") == true)
    }

    @Test(arguments: StorageEngine.allCases)
    func `files count against the quota from their upload until they are forgotten`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        _ = try await upload(fixture, bytes: 600, quota: 1_000)
        let error = await #expect(throws: StorageError.self) { _ = try await upload(fixture, bytes: 600, quota: 1_000) }
        guard case .quotaExceeded? = error else { return #expect(Bool(false), "\(String(describing: error))") }
        let record = RecordOperation(.create, note("r", ["d": Field(.bytes(Data(count: 400)))]))
        #expect(try await fixture.done([record], quota: 1_000)[0].error?.code == .quotaExceeded)
        wait(fixture)
        #expect(try await forgotten(fixture).count == 1)
        #expect(try await fixture.done([record], quota: 1_000)[0].error == nil)
        #expect(try await fixture.storage.statistics().bytes < 1_000)
    }

    @Test(arguments: StorageEngine.allCases)
    func `a file that is asked for again has its full time again, and forgetting goes in steps`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        var uploads: [StoredAsset] = []
        for _ in 0..<5 { uploads.append(try await upload(fixture)) }
        wait(fixture)
        #expect(try await fixture.storage.keepAssets([uploads[2].id], in: fixture.database) == [uploads[2]])
        let first = try await fixture.storage.forgetAssets(unusedSince: fixture.clock.now - Self.hour, limit: 3)
        let rest = try await fixture.storage.forgetAssets(unusedSince: fixture.clock.now - Self.hour, limit: 3)
        #expect(first.count == 3 && rest.count == 1 && !(first + rest).contains { $0.asset == uploads[2].id })
    }
}
