import Foundation
import SluiceRecords
import Testing

@testable import SluiceRecordService

/// What every storage engine says about itself.
@Suite struct InventoryStorageTests {
    @Test(arguments: StorageEngine.allCases)
    func `databases, zones and files are counted, some at a time`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        try await fixture.done([create("a"), create("b"), create("gone")])
        try await fixture.done([RecordOperation(.forceDelete, Record("gone"))])
        for number in 1...3 {
            let asset = StoredAsset(id: AssetID(random: { UInt64(number) }), digest: Data(count: 32), byteCount: 10)
            try await fixture.storage.addAsset(asset, quota: .max, in: fixture.database)
        }
        let neighbour = try await StorageFixture.addUser("bob", to: fixture.storage)
        let first = try await fixture.storage.databases(after: nil, limit: 1)
        let second = try await fixture.storage.databases(after: first[0].database, limit: 5)
        #expect(first.map(\.user) == ["ann"] && second.map(\.user) == ["bob"])
        #expect(try await fixture.storage.databases(after: second[0].database, limit: 5) == [])
        let notes = try #require(first[0].zones.first { $0.name == "Notes" })
        #expect(first[0].records == 2 && notes.records == 2 && notes.tombstones == 1 && first[0].zones.count == 2)
        #expect(first[0].files == 3 && first[0].fileBytes == 30 && first[0].bytes == notes.bytes + 30)
        #expect(first[0].container == "iCloud.test" && first[0].environment == "development" && first[0].userRecordName.hasPrefix("_"))
        let files = try await fixture.storage.files(in: fixture.database, after: nil, limit: 2)
        let rest = try await fixture.storage.files(in: fixture.database, after: files[1].asset.id, limit: 2)
        #expect(Set((files + rest).map(\.asset.id)).count == 3 && !files[0].isUsed)
        #expect(try await fixture.storage.files(in: neighbour, after: nil, limit: 2) == [])
    }

    @Test(arguments: StorageEngine.allCases)
    func `nothing is found wrong after writes, refusals, cascades and deletions`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        let asset = StoredAsset(id: AssetID(random: { 1 }), digest: Data(count: 32), byteCount: 10)
        try await fixture.storage.addAsset(asset, quota: .max, in: fixture.database)
        var value = Asset(fileChecksum: asset.fileChecksum, size: 10)
        value.receipt = asset.id.description
        let child = ["f": Field(.asset(value)), "p": Field(.reference(Reference(recordName: "a", action: .deleteSelf)))]
        try await fixture.done([create("a"), RecordOperation(.create, note("b", child)), RecordOperation(.create, note("c", ["f": Field(.asset(value))]))])
        try await fixture.done([create("a"), RecordOperation(.forceDelete, Record("c"))])
        try await fixture.done([RecordOperation(.forceDelete, Record("a"))])
        try await fixture.done([RecordOperation(.forceUpdate, note("c", ["n": Field(.int64(1))]))])
        #expect(try await fixture.storage.faults(in: fixture.database) == [])
        #expect(try await fixture.storage.engineFaults() == [])
        _ = try await fixture.storage.modifyZones([ZoneOperation(.delete, fixture.zone)], in: fixture.database)
        #expect(try await fixture.storage.faults(in: fixture.database) == [])
    }
}
