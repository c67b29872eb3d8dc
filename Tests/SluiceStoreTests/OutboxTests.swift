import Foundation
import SluiceSQLite
import SluiceSchema
import Testing

@testable import SluiceStore

@Suite struct OutboxTests {
    private let one = RecordName("1")

    private func pending(_ store: Store) throws -> [PendingChange] {
        try store.drainChanges()
        return try store.pendingChanges(limit: 100, at: .max)
    }

    private func send(_ store: Store, _ changes: [PendingChange]) throws -> QueuedOperation {
        try store.freeze(id: UUID(), body: Data("body".utf8), members: changes.map { .init(change: $0, meta: nil) })
    }

    @Test func `changes of one record are coalesced, referenced tables come first and deletions last`() throws {
        let fixture = try StoreFixture(.shop)
        let store = fixture.store
        let gone = RecordName("gone")
        try store.write(.import) { try store.put("Item", name: gone, RowEdit()) }
        try store.write {
            try store.put("Item", name: one, RowEdit())
            let list = try store.put("List", name: RecordName("L"), RowEdit(attributes: ["title": .string("l")])).name
            try store.put("Item", name: one, RowEdit(attributes: ["price": .double(2)], references: ["list": list]))
            try store.delete(gone)
        }
        #expect(try pending(store).map(\.name) == [RecordName("L"), one, gone])
        #expect(try pending(store).map(\.isDeleted) == [false, false, true])
    }

    @Test func `a pulled change is not sent, and a stage's is with nobody's edit behind it`() throws {
        let fixture = try StoreFixture(.shop)
        let store = fixture.store
        try store.write(.pull) { try store.put("Item", RowEdit()) }
        #expect(try pending(store).isEmpty)
        try store.write(.migration) { try store.put("Item", name: RecordName("made"), RowEdit()) }
        let change = try #require(pending(store).first)
        #expect(change.name == RecordName("made") && change.isInserted && change.isImported)
        #expect(try store.editStamp(at: change.last) == 0)
    }

    @Test func `an edit made while its predecessor is in flight stays pending with its own fields`() throws {
        let fixture = try StoreFixture(.shop)
        let store = fixture.store
        try store.write { try store.put("Item", name: one, RowEdit(attributes: ["sku": .string("a")])) }
        let operation = try send(store, pending(store))
        try store.write { try store.put("Item", name: one, RowEdit(attributes: ["sku": .string("b")])) }
        #expect(try pending(store).isEmpty)
        try store.settle(operation.number, [(one, .saved(RecordState(tag: "t1")))])
        let again = try #require(try pending(store).first)
        #expect(!again.isInserted)
        #expect(again.service?.tag == "t1")
        let fields = try store.pendingFields(of: one)
        let table = try #require(again.row).table
        let column = try #require(store.layout.tables[table].columns.firstIndex { $0.name == "sku" })
        #expect(Array(fields.keys) == [column])
        #expect(try store.oldValue(table: table, column: column, at: #require(fields[column]).first) == .text("a"))
        #expect(try store.frozenOperations().isEmpty)
    }

    @Test func `an edit between two others keeps the first old value as the merge base`() throws {
        let fixture = try StoreFixture(.shop)
        let store = fixture.store
        try store.write(.pull) { try store.put("Item", name: one, RowEdit(attributes: ["sku": .string("base")])) }
        for text in ["x", "y"] { try store.write { try store.put("Item", name: one, RowEdit(attributes: ["sku": .string(text)])) } }
        try store.drainChanges()
        try store.write { try store.put("Item", name: one, RowEdit(attributes: ["sku": .string("z")])) }
        let change = try #require(try pending(store).first)
        let field = try #require(try store.pendingFields(of: one).first)
        #expect(try store.oldValue(table: #require(change.row).table, column: field.key, at: field.value.first) == .text("base"))
    }

    @Test func `R6 delete then insert of the same name is one save`() throws {
        let fixture = try StoreFixture(.shop)
        let store = fixture.store
        try store.write(.pull) {
            try store.put("Item", name: one, RowEdit(attributes: ["sku": .string("old")]))
            let row = try #require(try store.row(named: one))
            try store.setRecordState(RecordState(tag: "t1"), of: one, table: row.table)
        }
        try store.write {
            try store.delete(one)
            try store.put("Item", name: one, RowEdit(attributes: ["sku": .string("new")]))
        }
        let changes = try pending(store)
        #expect(changes.map(\.name) == [one])
        #expect(changes.map(\.isInserted) == [true])
        #expect(changes.map(\.isDeleted) == [false])
    }

    @Test func `a row made and deleted before anybody heard of it is not sent, a row with an identity is`() throws {
        let fixture = try StoreFixture(.shop)
        let store = fixture.store
        let tag = try store.write {
            try store.put("Item", name: one, RowEdit())
            try store.delete(one)
            let tag = try store.put("Tag", RowEdit(attributes: ["label": .string("t")])).name
            try store.delete(tag)
            return tag
        }
        #expect(try pending(store).map(\.name) == [tag])
    }

    @Test func `each outcome of a member moves it where it belongs`() throws {
        let fixture = try StoreFixture(.shop)
        let store = fixture.store
        let names = (1...5).map { RecordName("\($0)") }
        try store.write { for name in names { try store.put("Item", name: name, RowEdit()) } }
        let operation = try send(store, pending(store))
        try store.settle(
            operation.number,
            [
                (names[0], .saved(RecordState(tag: "t"))), (names[1], .later(5_000)), (names[2], .setAside(reason: "too large")),
                (names[3], .reconcile),
            ])
        #expect(try store.frozenOperations().map(\.memberCount) == [1])
        #expect(try store.pendingChanges(limit: 9, at: 4_999).isEmpty)
        #expect(try store.pendingChanges(limit: 9, at: 5_000).map(\.name) == [names[1]])
        #expect(try store.setAsideRecords(limit: 9).map(\.name) == [names[2]])
        #expect(try store.recordsToReconcile(limit: 9) == [names[3]])
        try store.thaw(operation.number, reconciling: true)
        #expect(try store.recordsToReconcile(limit: 9) == [names[3], names[4]])
        #expect(try store.frozenOperations().isEmpty)
    }

    @Test func `an edit typed into the sqlite3 shell is sent too`() throws {
        let fixture = try StoreFixture(.shop)
        let store = fixture.store
        try store.connection.execute("INSERT INTO Item(_id, sku) VALUES ('1', 'typed'); UPDATE Item SET price = 3")
        let change = try #require(try pending(store).first)
        #expect(change.name == one)
        #expect(try store.stamp(at: change.last) == 1_700_000_000_000)
    }

    @Test func `the log is pruned to what nobody needs and its positions are not given twice`() throws {
        let fixture = try StoreFixture(.shop)
        let store = fixture.store
        try store.write { for index in 0..<10 { try store.put("Item", name: RecordName("\(index)"), RowEdit()) } }
        try store.setCursor("projection", at: 4)
        #expect(try store.pruneChanges(before: .max) == 0)
        let operation = try send(store, pending(store))
        try store.settle(operation.number, (0..<10).map { (RecordName("\($0)"), .saved(RecordState(tag: "t"))) })
        #expect(try store.pruneChanges(before: .max) == 4)
        try store.setCursor("projection", at: 10)
        #expect(try store.pruneChanges(before: .max) == 5)
        try store.write { try store.put("Item", RowEdit()) }
        #expect(try store.lastChange() == 11)
    }

    @Test func `a table wider than one mask word captures its last column`() throws {
        let attributes = (0..<182).map { Attribute("a\($0)", .int64, isOptional: true) }
        let fixture = try StoreFixture([Entity("Wide", attributes: attributes)])
        let store = fixture.store
        try store.write(.pull) { try store.put("Wide", name: one, RowEdit(attributes: ["a181": .integer(1)])) }
        try store.write { try store.put("Wide", name: one, RowEdit(attributes: ["a181": .integer(2), "a61": .integer(3)])) }
        let change = try #require(try pending(store).first)
        let fields = try store.pendingFields(of: one)
        #expect(fields.keys.sorted() == [61, 181])
        #expect(try store.oldValue(table: #require(change.row).table, column: 181, at: #require(fields[181]).first) == .integer(1))
    }
}
