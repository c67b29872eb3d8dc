import Foundation
import SluiceSQLite
import SluiceSchema
import Testing

@testable import SluiceStore

@Suite struct LogReaderTests {
    private let one = RecordName("1")
    private let two = RecordName("2")

    private func reader(_ fixture: StoreFixture) throws -> LogReader {
        try #require(try LogReader(fixture.store.connection, layout: fixture.store.layout, lastWrite: { 5_000_000_000_000 }))
    }

    private func transactions(_ fixture: StoreFixture, after: Int64 = 0, newestFirst: Bool = false) throws -> [LoggedTransaction] {
        let cursor = try reader(fixture).transactions(after: after, through: .max, newestFirst: newestFirst)
        var found: [LoggedTransaction] = []
        while let next = try cursor.next() { found.append(next) }
        #expect(try cursor.next() == nil)
        return found
    }

    private func changes(_ fixture: StoreFixture) throws -> [RowChange] {
        try reader(fixture).changes(in: #require(try transactions(fixture).last))
    }

    private func summary(_ changes: [RowChange], _ fixture: StoreFixture) -> [String] {
        changes.map { change in
            let columns = change.columns.map { fixture.store.layout.tables[change.row.table].columns[$0].name } + change.relationships
            return "\(change.kind) \(change.entity) \(change.row.key)" + (columns.isEmpty ? "" : " \(columns.joined(separator: ","))")
        }
    }

    @Test func `each transaction is one, with its author and its moment`() throws {
        let fixture = try StoreFixture(.shop)
        let store = fixture.store
        try store.write(author: "app") { for index in 0..<3 { try store.put("Item", name: RecordName("\(index)"), RowEdit()) } }
        fixture.clock.now += 60
        try store.write(.migration) { try store.put("Item", name: one, RowEdit(attributes: ["price": .double(2)])) }
        try store.write(.pull) { try store.put("Item", name: one, RowEdit(attributes: ["price": .double(3)])) }
        try store.write(.import) { try store.put("Item", name: one, RowEdit(attributes: ["price": .double(4)])) }
        try store.write { try store.put("Item", name: one, RowEdit(attributes: ["price": .double(5)])) }
        let found = try transactions(fixture)
        #expect(found.map(\.first) == [1, 4, 5, 6, 7])
        #expect(found.map(\.last) == [3, 4, 5, 6, 7])
        #expect(found.map(\.author) == ["app", "migration", "pull", "import", nil])
        #expect(found.map(\.milliseconds) == [1_700_000_000_000] + Array(repeating: 1_700_000_060_000, count: 4))
        #expect(try transactions(fixture, newestFirst: true) == found.reversed())
        #expect(try transactions(fixture, after: 4) == Array(found.dropFirst(2)))
    }

    @Test func `an edit by another program is a transaction, no later than the next one`() throws {
        let fixture = try StoreFixture(.shop)
        let store = fixture.store
        try store.connection.execute("INSERT INTO Item(_id, sku) VALUES ('1', 'typed'); UPDATE Item SET price = 3")
        #expect(try transactions(fixture).map(\.milliseconds) == [5_000_000_000_000])
        try store.write { try store.put("Item", name: one, RowEdit(attributes: ["price": .double(5)])) }
        try store.connection.execute("UPDATE Item SET price = 4")
        let found = try transactions(fixture)
        #expect(found.map(\.author) == ["another program", nil, "another program"])
        #expect(found.map(\.milliseconds) == [1_700_000_000_000, 1_700_000_000_000, 5_000_000_000_000])
        #expect(found.map(\.last) == [2, 3, 4])
        try store.drainChanges()
        // The outbox has given them a number; they are two transactions all the same.
        #expect(try transactions(fixture).map(\.author) == ["another program", nil, "another program"])
        #expect(try transactions(fixture).map(\.last) == [2, 3, 4])
    }

    @Test func `several entries of one row are one change`() throws {
        let fixture = try StoreFixture(.shop)
        let store = fixture.store
        try store.write { try store.put("Item", name: two, RowEdit(attributes: ["sku": .string("old")])) }
        try store.write {
            try store.put("Item", name: one, RowEdit(attributes: ["sku": .string("new")]))
            try store.put("Item", name: one, RowEdit(attributes: ["price": .double(1)]))
            try store.put("Item", name: RecordName("3"), RowEdit())
            try store.delete(RecordName("3"))
            try store.put("Item", name: two, RowEdit(attributes: ["price": .double(1)]))
            try store.put("Item", name: two, RowEdit(attributes: ["count": .integer(9)]))
        }
        #expect(try summary(changes(fixture), fixture) == ["insert Item 2", "update Item 1 price,count"])
        try store.write {
            try store.put("Item", name: two, RowEdit(attributes: ["price": .double(7)]))
            try store.delete(two)
        }
        #expect(try summary(changes(fixture), fixture) == ["delete Item 1"])
    }

    @Test func `another row under a key that was just deleted is a deletion and an insertion`() throws {
        let fixture = try StoreFixture(.shop)
        try fixture.store.connection.execute("INSERT INTO Item(_id, sku) VALUES ('1', 'typed')")
        try fixture.store.write {
            try fixture.store.connection.execute("DELETE FROM Item; INSERT INTO Item(_pk, _id, sku) VALUES (1, '2', 'typed')")
        }
        #expect(try summary(changes(fixture), fixture) == ["delete Item 1", "insert Item 1"])
    }

    @Test func `a pair is a change of the rows at its two ends`() throws {
        let fixture = try StoreFixture(.shop)
        let store = fixture.store
        let item = try store.write { try store.put("Item", name: one, RowEdit()) }
        let tag = try store.write { try store.put("Tag", RowEdit(attributes: ["label": .string("new")])) }
        _ = (item, tag)
        let link = try #require(store.layout.entities["Item"]?.link(named: "tags"))
        let (itemRow, tagRow) = (RowKey(table: table("Item", store), key: 1), RowKey(table: table("Tag", store), key: 1))
        try store.write { try store.setMembers([tagRow], of: itemRow, link: link) }
        #expect(try Set(summary(changes(fixture), fixture)) == ["update Item 1 tags", "update Tag 1 items"])
        let connected = try #require(try transactions(fixture).last)
        try store.write { try store.setMembers([], of: itemRow, link: link) }
        #expect(try Set(summary(changes(fixture), fixture)) == ["update Item 1 tags", "update Tag 1 items"])
        // The pair is gone; the log still knows its ends.
        #expect(try Set(summary(reader(fixture).changes(in: connected), fixture)) == ["update Item 1 tags", "update Tag 1 items"])
    }

    private func table(_ name: String, _ store: Store) -> Int { store.layout.tableIndex(named: name) ?? -1 }

    @Test func `a member of a one-way relationship is a change of its owner`() throws {
        let fixture = try StoreFixture([
            Entity("Album", attributes: [Attribute("title", .string)], relationships: [Relationship("songs", to: "Song", isToMany: true)]),
            Entity("Song", attributes: [Attribute("title", .string)]),
        ])
        let store = fixture.store
        try store.write {
            for name in ["a", "b"] { try store.put("Album", name: RecordName(name), RowEdit(attributes: ["title": .string(name)])) }
            try store.put("Song", name: RecordName("s"), RowEdit(attributes: ["title": .string("s")]))
        }
        let link = try #require(store.layout.entities["Album"]?.link(named: "songs"))
        let song = RowKey(table: table("Song", store), key: 1)
        func album(_ key: Int64) -> RowKey { RowKey(table: table("Album", store), key: key) }
        try store.write { try store.setMembers([song], of: album(1), link: link) }
        #expect(try summary(changes(fixture), fixture).contains("update Album 1 songs"))
        try store.write { try store.setMembers([song], of: album(2), link: link) }
        #expect(try Set(summary(changes(fixture), fixture)).isSuperset(of: ["update Album 1 songs", "update Album 2 songs"]))
    }

    @Test func `rows of a hierarchy say their class, also when they are gone`() throws {
        let fixture = try StoreFixture([
            Entity("Vehicle", attributes: [Attribute("name", .string)]),
            Entity("Car", superentity: "Vehicle", attributes: [Attribute("doors", .int64, isOptional: true)]),
        ])
        let store = fixture.store
        try store.write { try store.put("Car", name: one, RowEdit(attributes: ["name": .string("a")])) }
        try store.write { try store.put("Vehicle", name: two, RowEdit(attributes: ["name": .string("b")])) }
        try store.write { try store.delete(one) }
        let all = try transactions(fixture).map { try reader(fixture).changes(in: $0) }
        #expect(all.map { summary($0, fixture) } == [["insert Car 1"], ["insert Vehicle 2"], ["delete Car 1"]])
    }

    @Test func `a deleted row's values are read as they were`() throws {
        let fixture = try StoreFixture(.shop)
        let store = fixture.store
        try store.write { try store.put("Item", name: one, RowEdit(attributes: ["sku": .string("a"), "price": .double(2)])) }
        try store.write { try store.delete(one) }
        let change = try #require(try changes(fixture).first)
        let columns = try ["price", "sku"].map { name in
            try #require(store.layout.tables[change.row.table].columns.firstIndex { $0.name == name })
        }
        var values: [SQLiteValue] = []
        try reader(fixture).readDeletedRow(table: change.row.table, columns: columns, at: change.sequence) { values = $0.values() }
        #expect(values == [.real(2), .text("a")])
    }

    @Test func `a store without a log has no reader`() throws {
        let fixture = try StoreFixture(.shop, capturesChanges: false)
        #expect(try LogReader(fixture.store.connection, layout: fixture.store.layout, lastWrite: { 0 }) == nil)
    }

    // MARK: Deleting

    @Test func `transactions that are deleted leave no trace, and their positions are not given again`() throws {
        let fixture = try StoreFixture(.shop)
        let store = fixture.store
        for index in 0..<4 { try store.write(author: "a\(index)") { try store.put("Item", name: RecordName("\(index)"), RowEdit()) } }
        try store.write { try store.delete(RecordName("0")) }
        let all = try transactions(fixture)
        try store.deleteTransactions([all[0], all[1], all[3]])
        #expect(try transactions(fixture) == [all[2], all[4]])
        #expect(try store.connection.integer("SELECT count(*) FROM _sluice_transaction") == 2)
        try store.write { try store.put("Item", name: RecordName("9"), RowEdit()) }
        #expect(try transactions(fixture).map(\.last) == [3, 5, 6])
    }

    @Test func `the log says who needs it`() throws {
        let fixture = try StoreFixture(.shop)
        let store = fixture.store
        for index in 0..<4 { try store.write { try store.put("Item", name: RecordName("\(index)"), RowEdit()) } }
        #expect(try store.logHolders() == [LogHolder(name: "newest transaction", position: 3)])
        try store.setCursor("projection", at: 2)
        try store.drainChanges()
        #expect(
            try Set(store.logHolders()) == [
                LogHolder(name: "newest transaction", position: 3), LogHolder(name: "projection", position: 2),
                LogHolder(name: "outbox", position: 0),
            ])
    }

    @Test func `an outbox that starts after history was deleted sends every row`() throws {
        let fixture = try StoreFixture(.shop)
        let store = fixture.store
        for index in 0..<4 { try store.write { try store.put("Item", name: RecordName("\(index)"), RowEdit()) } }
        try store.deleteTransactions(Array(try transactions(fixture).prefix(2)))
        try store.drainChanges()
        let names = try store.pendingChanges(limit: 9, at: .max).map(\.name)
        #expect(Set(names) == Set((0..<4).map { RecordName("\($0)") }))
    }
}
