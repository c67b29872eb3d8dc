import Foundation
import SluiceSQLite
import SluiceSchema
import Testing

@testable import SluiceStore

/// Stores that somebody holds open while the file is migrated, and what else can be in the way.
@Suite struct StaleStoreTests {
    private let old = [Entity("Item", attributes: [Attribute("name", .string)])]
    private let new = [Entity("Item", attributes: [Attribute("aisle", .string, isOptional: true), Attribute("name", .string)])]

    @Test func `a store that was open during a migration writes no byte afterwards`() throws {
        let fixture = try MigrationFixture()
        let store = try Store(path: fixture.path, schema: Schema(name: "test", validating: old), options: fixture.options)
        try store.write { try store.put("Item", name: RecordName("1"), RowEdit(attributes: ["name": .string("a")])) }
        try fixture.migrate(to: new)
        let before = try fixture.rows("SELECT * FROM _sluice_change")
        let error = #expect(throws: StoreError.self) {
            try store.write { try store.put("Item", name: RecordName("2"), RowEdit(attributes: ["name": .string("b")])) }
        }
        #expect(error?.description.contains("it was migrated while it was open") == true)
        #expect(throws: StoreError.self) {
            try store.drainChanges()
            try store.write {}
        }
        #expect(try fixture.rows("SELECT * FROM _sluice_change") == before)
    }

    @Test func `an index that a person adds is no reason to stop`() throws {
        let fixture = try MigrationFixture()
        let store = try Store(path: fixture.path, schema: Schema(name: "test", validating: old), options: fixture.options)
        try Connection(path: fixture.path, mode: .readWrite).execute("CREATE INDEX mine ON Item(name)")
        try store.write { try store.put("Item", name: RecordName("1"), RowEdit(attributes: ["name": .string("a")])) }
        try store.write { try store.put("Item", name: RecordName("2"), RowEdit(attributes: ["name": .string("b")])) }
        #expect(try fixture.count("SELECT count(*) FROM Item") == 2)
    }

    @Test func `a migration waits for another writer and names the file where that does not end`() throws {
        let fixture = try MigrationFixture()
        try fixture.open(old) { _ in }
        var options = fixture.options
        options.busyTimeout = .milliseconds(50)
        let migration = try StoreMigration(path: fixture.path, options: options)
        try Connection(path: fixture.path, mode: .readWrite).transaction {
            let error = #expect(throws: SQLiteError.self) { try migration.run { _ in } }
            #expect(error.map { ResultCode.busy ~= $0.code } == true)
            #expect(error?.description.contains(fixture.path) == true)
        }
    }

    @Test func `a reader keeps the old state while the store is migrated`() throws {
        let fixture = try MigrationFixture()
        try fixture.open(old) { store in
            try store.write { try store.put("Item", name: RecordName("1"), RowEdit(attributes: ["name": .string("a")])) }
            try store.read {
                #expect(try store.storedRow(named: RecordName("1")) != nil)
                try StoreMigration(path: fixture.path, options: fixture.options).run { transaction in
                    try transaction.advance(
                        by: SchemaChange(from: transaction.schema, to: Schema(name: "test", validating: new), kind: .lightweight()))
                }
                let row = try store.storedRow(named: RecordName("1"))
                #expect(row?.attributes == ["name": .string("a")])
            }
        }
    }

    @Test func `who comes second sees what the first made of the store`() throws {
        let fixture = try MigrationFixture()
        try fixture.open(old) { _ in }
        let second = try StoreMigration(path: fixture.path, options: fixture.options)
        try fixture.migrate(to: new)
        try second.run { transaction in
            #expect(second.held.entities == old)
            #expect(transaction.schema.entities == new)
        }
    }

    @Test func `another owner's store is refused, and so is a file of another kind`() throws {
        let fixture = try MigrationFixture()
        var options = fixture.options
        options.owner = "me"
        _ = try Store(path: fixture.path, schema: Schema(name: "test", validating: old), options: options)
        options.owner = "you"
        #expect(throws: StoreError.self) { try StoreMigration(path: fixture.path, options: options) }
        let other = fixture.folder.appending(path: "other.db").path
        try Connection(path: other, mode: .create).execute("CREATE TABLE t(a)")
        #expect(throws: StoreError.self) { try StoreMigration(path: other, options: fixture.options) }
    }

    @Test func `a failed write inside a stage ends the migration though the error be caught`() throws {
        let fixture = try MigrationFixture()
        try fixture.open(old) { store in
            _ = try store.write { try store.put("Item", name: RecordName("1"), RowEdit(attributes: ["name": .string("a")])) }
        }
        #expect(throws: StoreError.self) {
            try fixture.migrate(
                to: new, .custom,
                didMigrate: { store in
                    // Like a stage that goes on after a save that failed.
                    _ = try? store.write {
                        try store.put("Item", name: RecordName("1"), RowEdit(attributes: ["name": .string("b")]))
                        try store.put("Nothing", RowEdit())
                    }
                })
        }
        #expect(try fixture.rows("SELECT name FROM Item") == [[.text("a")]])
        #expect(try fixture.held() == old)
    }

    @Test func `a refused step ends the migration though the refusal be caught`() throws {
        let fixture = try MigrationFixture()
        try fixture.open(old) { store in
            try store.write {
                for id in ["1", "2"] { try store.put("Item", name: RecordName(id), RowEdit(attributes: ["name": .string("a")])) }
            }
        }
        let unique = try Schema(
            name: "test", validating: [Entity("Item", attributes: [Attribute("name", .string)], uniqueness: [["name"]])])
        #expect(throws: MigrationRefusal.self) {
            try StoreMigration(path: fixture.path, options: fixture.options).run { transaction in
                // Like a plan that goes on regardless.
                try? transaction.advance(by: SchemaChange(from: transaction.schema, to: unique, kind: .lightweight()))
            }
        }
        #expect(try fixture.held() == old)
        try fixture.checkSoundness()
    }

    @Test func `a store from before a step writes nothing after it`() throws {
        let fixture = try MigrationFixture()
        try fixture.open(old) { _ in }
        #expect(throws: StoreError.self) {
            try StoreMigration(path: fixture.path, options: fixture.options).run { transaction in
                let store = try transaction.store()
                try transaction.advance(
                    by: SchemaChange(from: transaction.schema, to: Schema(name: "test", validating: new), kind: .lightweight()))
                try store.write { try store.put("Item", RowEdit(attributes: ["name": .string("a")])) }
            }
        }
        #expect(try fixture.held() == old)
    }

    @Test func `what a custom stage leaves empty is counted and rolls everything back`() throws {
        let fixture = try MigrationFixture()
        try fixture.open(old) { store in
            try store.write {
                for id in ["1", "2", "3"] { try store.put("Item", name: RecordName(id), RowEdit(attributes: ["name": .string("a")])) }
            }
        }
        let wanted = [Entity("Item", attributes: [Attribute("name", .string), Attribute("expiry", .date)])]
        let refusal = #expect(throws: MigrationRefusal.self) {
            try fixture.migrate(
                to: wanted, .custom,
                didMigrate: { store in
                    _ = try store.write {
                        try store.put(
                            "Item", name: RecordName("1"), RowEdit(attributes: ["expiry": .date(.init(timeIntervalSince1970: 0))]))
                    }
                })
        }
        #expect(refusal?.faults == [.requiredWithoutDefault(entity: "Item", property: "expiry", shape: "date", rows: 2)])
        #expect(try fixture.held() == old)
    }

    @Test func `in a custom stage values convert where they can, and deletions follow their rules`() throws {
        let fixture = try MigrationFixture()
        let list = { (type: AttributeType) in
            [
                Entity("List", relationships: [Relationship("items", to: "Item", isToMany: true, inverse: "list")]),
                Entity(
                    "Item", attributes: [Attribute("v", type, isOptional: true)],
                    relationships: [Relationship("list", to: "List", inverse: "items")]),
            ]
        }
        try fixture.open(list(.string)) { store in
            try store.write {
                try store.put("List", name: RecordName("L"), RowEdit())
                for (id, text) in [("1", "42"), ("2", "x")] {
                    try store.put(
                        "Item", name: RecordName(id), RowEdit(attributes: ["v": .string(text)], references: ["list": RecordName("L")]))
                }
            }
        }
        try fixture.migrate(to: list(.int64), .custom, didMigrate: { store in _ = try store.write { try store.delete(RecordName("L")) } })
        #expect(try fixture.rows("SELECT v, list FROM Item ORDER BY _pk") == [[42, .null], [.null, .null]])
    }
}
