import Foundation
import SluiceReader
import SluiceSQLite
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceGroup

@Suite struct LocalStoreWriterTests {
    private func put(_ fixture: GroupFixture, _ sku: String, note: String = "") throws {
        try fixture.store.write {
            try fixture.store.put("Item", name: .text(sku), RowEdit(attributes: ["sku": .string(sku), "note": .string(note)]))
        }
    }

    private static let items = [Projection("Item", fields: ["sku"])]

    @Test func `one generation follows another in one file, and each is seen whole`() throws {
        let fixture = try GroupFixture(.shop)
        let writer = try fixture.writer(Self.items)
        let date = Date(milliseconds: 1_771_416_482_061)
        try put(fixture, "a")
        let first = try writer.update(from: fixture.store, lastSync: date)
        try put(fixture, "b")
        let second = try writer.update(from: fixture.store)
        #expect((first.number, second.number) == (1, 2))
        #expect(second == .init(number: 2, file: first.file, isNew: true, rebuild: nil))
        let (names, summary) = try fixture.container().read { (try $0.rows(of: "Item").map(\.name.text), $0.summary) }
        #expect(names == ["a", "b"])
        #expect(summary.generation == 2)
        #expect(summary.lastSync == date)
        let pointer = try fixture.directory().pointer()
        #expect(
            pointer
                == ContainerPointer(file: first.file, state: .current, schemaVersion: "1.0.0", generation: 2, lastSync: date))
    }

    @Test func `what is not projected makes no generation, but moves the cursor so that the log can be pruned`() throws {
        let fixture = try GroupFixture(.shop)
        let writer = try fixture.writer(Self.items)
        try put(fixture, "a")
        let first = try writer.update(from: fixture.store)
        try put(fixture, "a", note: "not projected")
        try fixture.store.write { try fixture.store.put("List", RowEdit(attributes: ["title": .string("x")])) }
        let second = try writer.update(from: fixture.store)
        #expect(second == .init(number: first.number, file: first.file, isNew: false, rebuild: nil))
        #expect(try fixture.store.cursor("projection \(fixture.path("group"))") == fixture.store.lastChange())
    }

    @Test func `other projections and another version are a new file, and the old one goes`() throws {
        let fixture = try GroupFixture(.shop)
        try put(fixture, "a", note: "n")
        let first = try fixture.writer(Self.items).update(from: fixture.store)
        let second = try fixture.writer([Projection("Item")]).update(from: fixture.store)
        #expect(second.rebuild == .noStore)
        #expect(second.number == first.number + 1)
        #expect(second.file > first.file)
        let third = try fixture.writer([Projection("Item", where: Fixed.filter("sku == 'b'"))]).update(from: fixture.store)
        #expect(third.rebuild == .otherProjection)
        #expect(try fixture.directory().localStores() == [third.file])
        #expect(try fixture.container().read { try $0.count(of: "Item") } == 0)
    }

    @Test func `a writer that starts again goes on where it was`() throws {
        let fixture = try GroupFixture(.shop)
        try put(fixture, "a")
        let first = try fixture.writer(Self.items).update(from: fixture.store)
        try put(fixture, "b")
        let second = try fixture.writer(Self.items).update(from: fixture.store)
        #expect(second == .init(number: 2, file: first.file, isNew: true, rebuild: nil))
    }

    @Test func `a crash before the cursor was registered, and a synced store from another time, are noticed`() throws {
        let fixture = try GroupFixture(.shop)
        let writer = try fixture.writer(Self.items)
        try put(fixture, "a")
        try writer.update(from: fixture.store)
        try fixture.store.setCursor("projection \(fixture.path("group"))", at: 0)
        #expect(try writer.update(from: fixture.store).rebuild == .outOfStep)
        #expect(try writer.update(from: fixture.store).rebuild == nil)
        let other = try Store(
            path: fixture.path("Other.store"), schema: fixture.store.layout.schema, options: Store.Options(zone: "test"))
        try other.setCursor("projection \(fixture.path("group"))", at: fixture.store.lastChange())
        #expect(try writer.update(from: other).rebuild == .outOfStep)
        #expect(try fixture.container().read { try $0.count(of: "Item") } == 0)
    }

    @Test func `more changes than its bound are a new file`() throws {
        let fixture = try GroupFixture(.shop)
        var options = LocalStoreWriter.Options()
        options.changedRowCountMax = 3
        let writer = try fixture.writer(Self.items, options: options)
        try put(fixture, "a")
        try writer.update(from: fixture.store)
        for sku in ["b", "c", "d"] { try put(fixture, sku) }
        #expect(try writer.update(from: fixture.store).rebuild == nil)
        for sku in ["e", "f", "g", "h"] { try put(fixture, sku) }
        #expect(try writer.update(from: fixture.store).rebuild == .tooManyChanges)
        #expect(try fixture.container().read { try $0.count(of: "Item") } == 8)
    }

    @Test func `a damaged local store is made again`() throws {
        let fixture = try GroupFixture(.shop)
        try put(fixture, "a")
        let writer = try fixture.writer(Self.items)
        let first = try writer.update(from: fixture.store)
        try writer.close()
        try Data(repeating: 7, count: 4_096).write(to: URL(fileURLWithPath: "\(fixture.path("group"))/\(first.file.name)"))
        let second = try fixture.writer(Self.items).update(from: fixture.store)
        #expect(second.rebuild == .noStore)
        #expect(try fixture.container().read { try $0.count(of: "Item") } == 1)
        #expect(try fixture.directory().localStores() == [second.file])
    }

    @Test func `a store that could not be filled leaves no file behind`() throws {
        let fixture = try GroupFixture(.shop)
        let writer = try fixture.writer(Self.items)
        try fixture.store.connection.execute("PRAGMA foreign_keys = OFF; DROP TABLE Item")
        #expect(throws: SQLiteError.self) { try writer.update(from: fixture.store) }
        #expect(try fixture.directory().localStores().isEmpty)
        #expect(fixture.container().status() == .noStore)
    }

    @Test func `a migration is shown with and without a store, and over with the next generation`() throws {
        let fixture = try GroupFixture(.shop)
        let progress = MigrationProgress(stage: 1, of: 2, named: "V1toV2")
        try fixture.directory().announce(.migrating(progress))
        #expect(fixture.container().status() == .migrating(progress, nil))
        #expect(throws: ReaderError.migrating(path: fixture.path("group"), progress)) { try fixture.container().read { _ in } }
        try fixture.directory().announce(.current)
        #expect(fixture.container().status() == .noStore)
        try put(fixture, "a")
        try fixture.writer(Self.items).update(from: fixture.store)
        try fixture.directory().announce(.migrating(progress))
        guard case .migrating(progress, let summary?) = fixture.container().status() else {
            Issue.record("\(fixture.container().status())")
            return
        }
        #expect(summary.generation == 1)
        try put(fixture, "b")
        try fixture.writer(Self.items).update(from: fixture.store)
        guard case .current(let next) = fixture.container().status() else {
            Issue.record("\(fixture.container().status())")
            return
        }
        #expect(next.generation == 2)
    }
}
