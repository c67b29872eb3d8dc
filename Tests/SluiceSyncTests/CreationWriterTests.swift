import Foundation
import SluiceRecords
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceSync

/// The short way of new records to their bytes.
@Suite struct CreationWriterTests {
    private static let latestStamp: Int64 = 1_767_225_000_000

    private static let schema = try? Schema(
        name: "z",
        validating: [
            Entity("Shelf", attributes: [Attribute("title", .string)]),
            Entity(
                "Thing",
                attributes: AttributeType.allCases.map { Attribute("\($0.rawValue)Value", $0, isOptional: true) }
                    // Names around that of the metadata, and one that text and bytes order differently.
                    + [Attribute("sluice", .string, isOptional: true), Attribute("sluiced", .int64, isOptional: true), Attribute("e\u{301}z", .string, isOptional: true), Attribute("f", .string, isOptional: true)],
                relationships: [Relationship("shelf", to: "Shelf")]),
        ])

    private let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")

    private func journal(rowCount: Int) throws -> SyncJournal {
        let schema = try #require(Self.schema)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var fixture = FixtureStore(schema, rowCount: rowCount)
        _ = try fixture.make(at: folder.appending(path: "z.store").path)
        return try SyncJournal(store: Store(path: folder.appending(path: "z.store").path, schema: schema, options: Store.Options(zone: "z")), zone: ZoneID("z"))
    }

    @Test func `a new record's bytes and metadata are those of the general way, whatever its values`() throws {
        let journal = try journal(rowCount: 60)
        try journal.store.drainChanges()
        let changes = try journal.store.pendingChanges(limit: 1_000, at: 0)
        #expect(changes.count == 120)
        for latest in [nil, Self.latestStamp] {
            var creations = CreationWriter(journal, number: 7, latestStamp: latest)
            var shortCount = 0
            for change in changes {
                var writer = JSONWriter()
                let built = try journal.operation(for: change, number: 7, latestStamp: latest)
                let (operation, metadata) = try #require(built)
                guard let short = try creations.write(change, to: &writer) else {
                    #expect(writer.count == 0)
                    continue
                }
                shortCount += 1
                let general = try operation.encoded()
                #expect(String(decoding: writer.data, as: UTF8.self) == String(decoding: general, as: UTF8.self))
                #expect(short == metadata?.encoded)
            }
            // NaN and the like go the general way.
            #expect(shortCount > 60 && shortCount < 120)
        }
        try FileManager.default.removeItem(at: folder)
    }

    @Test func `what is more than a plain creation is left to the general way`() throws {
        let journal = try journal(rowCount: 3)
        let store = journal.store
        try store.drainChanges()
        let changes = try store.pendingChanges(limit: 100, at: 0)
        let (known, edited) = (changes[0].name, changes[1].name)
        try store.setRecordState(RecordState(tag: "1"), of: known, table: changes[0].row?.table)
        try store.write { try store.put("Shelf", name: edited, RowEdit(attributes: ["title": .string("another")])) }
        try store.drainChanges()
        var creations = CreationWriter(journal, number: 1, latestStamp: nil)
        for change in try store.pendingChanges(limit: 100, at: 0) where [known, edited].contains(change.name) {
            var writer = JSONWriter()
            let short = try creations.write(change, to: &writer)
            #expect(short == nil && writer.count == 0)
        }
        try FileManager.default.removeItem(at: folder)
    }
}
