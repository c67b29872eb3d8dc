import Foundation
import SluiceData
import Testing

/// A program that has the store open while another migrates it.
@Suite struct OpenDuringMigrationTests {
    private let store: MigrationFixture

    init() throws {
        store = try MigrationFixture()
        try store.fill()
    }

    @Test func `what it wants to write is refused and not lost in the new shape`() throws {
        let old = ModelContext(try store.open(Plain.Item.self))
        let rice = try #require(try old.fetch(FetchDescriptor<Plain.Item>(predicate: #Predicate { $0.code == 1 })).first)
        let new = ModelContext(try store.open(Noted.Item.self))
        rice.name = "wild rice"
        old.insert(Plain.Item(code: 9, name: "late"))
        #expect(throws: SwiftDataError.storeIsNewer) { try old.save() }
        #expect(old.hasChanges)
        #expect(try new.fetch(FetchDescriptor<Noted.Item>(sortBy: [SortDescriptor(\.code)])).map(\.name) == ["rice", "oats", ""])
        new.insert(Noted.Item(code: 4, name: "salt"))
        try new.save()
    }

    @Test func `what it asks for and is there no more is no fault of its statement`() throws {
        let old = ModelContext(try store.open(Plain.Item.self))
        #expect(try old.fetchCount(FetchDescriptor<Plain.Item>()) == 3)
        _ = try store.open(Retitled.Item.self)
        #expect(throws: SwiftDataError.storeIsNewer) { try old.fetch(FetchDescriptor<Plain.Item>()) }
    }
}
