import Foundation
import SluiceSQLite
import SluiceSchema
import Testing

@testable import SluiceStore

/// The change log, the outbox and frozen operations across a step.
@Suite struct LogMigrationTests {
    /// `list` has a column after the attributes, so that each new attribute moves its number.
    private static func shop(_ attributes: [Attribute], others: [Entity] = []) -> [Entity] {
        [
            Entity(
                "List", attributes: [Attribute("title", .string)],
                relationships: [Relationship("items", to: "Item", isToMany: true, inverse: "list")]),
            Entity("Item", attributes: attributes, relationships: [Relationship("list", to: "List", inverse: "items")]),
        ] + others
    }

    private static let old = shop([Attribute("sku", .string, isOptional: true), Attribute("count", .int32, isOptional: true)])

    /// What waits to be sent, by property names.
    private struct Waiting: Equatable {
        var kind: String
        var fields: [String: SQLiteValue?] = [:]
        var first: Int64
        var last: Int64
    }

    private func queue(_ store: Store) throws -> [RecordName: Waiting] {
        try store.drainChanges()
        var waiting: [RecordName: Waiting] = [:]
        for change in try store.pendingChanges(limit: 1_000, at: .max) {
            var entry = Waiting(
                kind: change.isDeleted ? "delete" : change.isInserted ? "insert" : "update", first: change.first, last: change.last)
            for (column, range) in try store.pendingFields(of: change.name) {
                guard let row = change.row else { continue }
                let name = store.layout.tables[row.table].columns[column].name
                entry.fields[name] = try store.oldValue(table: row.table, column: column, at: range.first)
            }
            waiting[change.name] = entry
        }
        return waiting
    }

    /// Rows that the service knows, then one edit of each kind; `isDrained`: whether the outbox has seen them.
    private func prepare(_ fixture: MigrationFixture, isDrained: Bool) throws {
        try fixture.open(Self.old) { store in
            try store.write(.pull) {
                for name in ["L", "M"] { try store.put("List", name: RecordName(name), RowEdit(attributes: ["title": .string(name)])) }
                for name in ["updated", "moved", "deleted"] {
                    try store.put(
                        "Item", name: RecordName(name),
                        RowEdit(attributes: ["sku": .string("old"), "count": .integer(1)], references: ["list": RecordName("L")]))
                }
            }
            try store.write {
                try store.put("Item", name: RecordName("inserted"), RowEdit(attributes: ["sku": .string("new")]))
                try store.put("Item", name: RecordName("updated"), RowEdit(attributes: ["sku": .string("x"), "count": .integer(2)]))
                try store.put("Item", name: RecordName("moved"), RowEdit(references: ["list": RecordName("M")]))
                try store.delete(RecordName("deleted"))
            }
            if isDrained { try store.drainChanges() }
        }
    }

    @Test(arguments: [true, false])
    func `what waits to be sent waits on, with its old values, wherever its columns are now`(isDrained: Bool) throws {
        let fixture = try MigrationFixture()
        try prepare(fixture, isDrained: isDrained)
        let log = try fixture.rows("SELECT seq, txn, row, kind, origin, id FROM _sluice_change ORDER BY seq")
        let more = Self.shop([
            Attribute("aisle", .string, defaultValue: .string("1")), Attribute("sku", .string, isOptional: true),
            Attribute("number", .int64, isOptional: true, wireName: "count"),
        ])
        try fixture.migrate(to: more)
        #expect(try fixture.rows("SELECT seq, txn, row, kind, origin, id FROM _sluice_change ORDER BY seq") == log)
        let (key, other) = (SQLiteValue.integer(1), SQLiteValue.text("old"))
        try fixture.open { store in
            let waiting = try queue(store)
            #expect(Set(waiting.keys) == Set(["inserted", "updated", "moved", "deleted"].map { RecordName($0) }))
            #expect(waiting[RecordName("inserted")]?.kind == "insert")
            #expect(waiting[RecordName("deleted")]?.kind == "delete")
            #expect(waiting[RecordName("updated")]?.fields == ["sku": other, "number": .integer(1)])
            #expect(waiting[RecordName("moved")]?.fields == ["list": key])
            let deleted = try #require(waiting[RecordName("deleted")])
            let table = try #require(store.layout.tableIndex(named: "Item"))
            let column = try #require(store.layout.tables[table].columns.firstIndex { $0.name == "sku" })
            #expect(try store.oldValue(table: table, column: column, at: deleted.last) == other)
        }
        #expect(try fixture.count("SELECT count(*) FROM _sluice_transaction WHERE origin = 3") == 1)
    }

    @Test func `frozen operations keep every byte, and their members are settled as before`() throws {
        let fixture = try MigrationFixture()
        try prepare(fixture, isDrained: true)
        let body = Data((0..<200).map { UInt8($0) })
        try fixture.open { store in
            let changes = try store.pendingChanges(limit: 100, at: .max)
            _ = try store.freeze(id: UUID(), body: body, members: changes.map { .init(change: $0, meta: Data([1])) })
        }
        let before = try fixture.rows("SELECT * FROM _sluice_operation") + fixture.rows("SELECT * FROM _sluice_member ORDER BY id")
        try fixture.migrate(to: Self.shop([Attribute("count", .int32, isOptional: true)]))
        #expect(try fixture.rows("SELECT * FROM _sluice_operation") + fixture.rows("SELECT * FROM _sluice_member ORDER BY id") == before)
        try fixture.open { store in
            let operation = try #require(try store.frozenOperations().first)
            #expect(operation.body == body)
            let members = try store.members(of: operation.number).map { ($0.name, MemberOutcome.saved(RecordState(tag: "t"))) }
            try store.settle(operation.number, members)
            #expect(try store.frozenOperations().isEmpty)
            #expect(try queue(store).isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `edits of an attribute that goes are not sent, and others of the record are`(isDrained: Bool) throws {
        let fixture = try MigrationFixture()
        try prepare(fixture, isDrained: isDrained)
        try fixture.open(Self.old) { store in
            try store.write { try store.put("Item", name: RecordName("moved"), RowEdit(attributes: ["sku": .string("y")])) }
            try store.write(.pull) { try store.put("Item", name: RecordName("only"), RowEdit(attributes: ["sku": .string("old")])) }
            try store.write { try store.put("Item", name: RecordName("only"), RowEdit(attributes: ["sku": .string("y")])) }
            if isDrained { try store.drainChanges() }
        }
        let last = try fixture.count("SELECT max(seq) FROM _sluice_change")
        try fixture.migrate(to: Self.shop([Attribute("count", .int32, isOptional: true)]))
        try fixture.open { store in
            let waiting = try queue(store)
            #expect(Set(waiting.keys) == Set(["inserted", "updated", "moved", "deleted"].map { RecordName($0) }))
            #expect(waiting[RecordName("updated")]?.fields == ["count": .integer(1)])
            #expect(waiting[RecordName("moved")]?.fields == ["list": .integer(1)])
            try store.write { try store.put("Item", name: RecordName("next"), RowEdit()) }
            #expect(try store.lastChange() == Int64(last) + 1)
        }
    }

    @Test func `nothing of an entity that goes is sent, and nothing is deleted elsewhere`() throws {
        let fixture = try MigrationFixture()
        try prepare(fixture, isDrained: true)
        try fixture.open { store in
            try store.write { try store.put("Item", name: RecordName("late"), RowEdit()) }
            try store.setRecordState(
                RecordState(tag: "t"), of: RecordName("updated"), table: #require(store.layout.tableIndex(named: "Item")))
        }
        let last = try fixture.count("SELECT max(seq) FROM _sluice_change")
        try fixture.migrate(to: [Entity("List", attributes: [Attribute("title", .string)])])
        try fixture.open { store in
            #expect(try queue(store).isEmpty)
            #expect(try store.recordState(of: RecordName("updated")) == nil)
            #expect(try store.changes(after: 0, limit: 100).allSatisfy { store.layout.tables[$0.row.table].name == "List" })
            try store.write { try store.put("List", name: RecordName("N"), RowEdit(attributes: ["title": .string("n")])) }
            #expect(try store.lastChange() == Int64(last) + 1)
            #expect(try Set(queue(store).keys) == [RecordName("N")])
        }
        #expect(try fixture.count("SELECT count(*) FROM _sluice_table") == 1)
    }

    @Test func `a table wider than one mask word keeps what its bits mean`() throws {
        func wide(_ names: [String]) -> [Entity] { [Entity("Wide", attributes: names.map { Attribute($0, .int64, isOptional: true) })] }
        let fixture = try MigrationFixture()
        let names = (0..<130).map { "a\($0)" }
        try fixture.open(wide(names)) { store in
            try store.write(.pull) {
                try store.put(
                    "Wide", name: RecordName("1"), RowEdit(attributes: Dictionary(uniqueKeysWithValues: names.map { ($0, .integer(1)) })))
            }
            try store.write {
                try store.put("Wide", name: RecordName("1"), RowEdit(attributes: ["a0": .null, "a61": .null, "a62": .null, "a129": .null]))
            }
        }
        try fixture.migrate(to: wide(["new"] + names.filter { $0 != "a5" } + ["more"]), .lightweight(discarding: ["Wide.a5"]))
        let fields = try fixture.open { store in try queue(store)[RecordName("1")]?.fields }
        #expect(fields == ["a0": .integer(1), "a61": .integer(1), "a62": .integer(1), "a129": .integer(1)])
    }

    @Test func `what a custom stage edits is logged under its own origin and sent with what was edited before`() throws {
        let fixture = try MigrationFixture()
        try prepare(fixture, isDrained: false)
        let last = try fixture.count("SELECT max(seq) FROM _sluice_change")
        try fixture.migrate(
            to: Self.shop([Attribute("sku", .string, isOptional: true), Attribute("label", .string)]), .custom,
            didMigrate: { store in
                let entity = try #require(store.layout.entities["Item"])
                var names: [RecordName] = []
                try store.forEachRow(of: entity) { names.append($0.name) }
                try store.write(author: "stage") {
                    for name in names { try store.put("Item", name: name, RowEdit(attributes: ["label": .string("l")])) }
                }
            })
        #expect(try fixture.count("SELECT count(*) FROM _sluice_change WHERE seq > \(last) AND origin <> 3") == 0)
        #expect(try fixture.count("SELECT count(*) FROM _sluice_change WHERE seq > \(last)") == 3)
        let waiting = try fixture.open { try queue($0) }
        #expect(waiting[RecordName("updated")]?.fields.keys.sorted() == ["label", "sku"])
        #expect(try fixture.open { try $0.editStamp(at: Int64(last) + 1) } == 0)
    }

    @Test func `a store without a log migrates too`() throws {
        let fixture = try MigrationFixture(capturesChanges: false)
        try fixture.open(Self.old) { store in
            _ = try store.write { try store.put("Item", name: RecordName("1"), RowEdit(attributes: ["sku": .string("a")])) }
        }
        try fixture.migrate(
            to: Self.shop([Attribute("aisle", .string, defaultValue: .string("1")), Attribute("sku", .string, isOptional: true)]))
        #expect(try fixture.rows("SELECT sku, aisle FROM Item") == [[.text("a"), .text("1")]])
    }
}
