import Foundation
import SluiceSQLite
import SluiceSchema
import Testing

@testable import SluiceStore

@Suite struct HierarchyMigrationTests {
    private let name = Attribute("name", .string)

    private func classes(_ fixture: MigrationFixture, of entity: String) throws -> [String: String] {
        try fixture.open { store in
            var classes: [String: String] = [:]
            try store.forEachRow(of: #require(store.layout.entities[entity])) { classes[$0.name.text] = $0.entity }
            return classes
        }
    }

    private func put(_ store: Store, _ entity: String, _ name: String, _ attributes: [String: PropertyValue] = [:]) throws {
        try store.put(entity, name: RecordName(name), RowEdit(attributes: attributes))
    }

    @Test func `an entity gets subentities: its rows stay what they are, and deleted ones are known by their entity`() throws {
        let fixture = try MigrationFixture()
        try fixture.open([Entity("Trip", attributes: [name])]) { store in
            try store.write { for id in ["1", "2"] { try put(store, "Trip", id, ["name": .string(id)]) } }
            try store.write { try store.delete(RecordName("2")) }
        }
        try fixture.migrate(to: [
            Entity("Trip", attributes: [name]),
            Entity("Business", superentity: "Trip", attributes: [Attribute("perDiem", .double, defaultValue: .double(5))]),
        ])
        #expect(try classes(fixture, of: "Trip") == ["1": "Trip"])
        try fixture.open { store in
            try store.write { try put(store, "Business", "3", ["name": .string("b")]) }
            let row = try #require(try store.storedRow(named: RecordName("3")))
            #expect(row.entity == "Business" && row.attributes["perDiem"] == .double(5))
        }
        #expect(try fixture.rows("SELECT entity FROM _sluice_old_1") == [[.text("Trip")]])
    }

    @Test func `an entity gets a superentity: rows keep their entity, keys and references`() throws {
        let fixture = try MigrationFixture()
        let owner = Entity("Owner", relationships: [Relationship("item", to: "Item")])
        try fixture.open([Entity("Item", attributes: [name, Attribute("n", .int64, defaultValue: .integer(1))]), owner]) { store in
            try store.write {
                try put(store, "Item", "1", ["name": .string("a"), "n": .integer(7)])
                try store.put("Owner", name: RecordName("o"), RowEdit(references: ["item": RecordName("1")]))
            }
            try store.write { try put(store, "Item", "2", ["name": .string("b")]) }
            try store.write { try store.delete(RecordName("2")) }
        }
        try fixture.migrate(to: [
            Entity("Base", attributes: [name]),
            Entity("Item", superentity: "Base", attributes: [Attribute("n", .int64, defaultValue: .integer(1))]), owner,
        ])
        #expect(try classes(fixture, of: "Base") == ["1": "Item"])
        #expect(try fixture.attributes("1") == ["name": .string("a"), "n": .integer(7)])
        #expect(try fixture.references("o") == ["item": RecordName("1")])
        #expect(try fixture.rows("SELECT entity FROM _sluice_old_1") == [[.text("Item")]])
    }

    @Test func `an entity that goes from a hierarchy takes its rows along, and what refers to them reads as nil`() throws {
        let fixture = try MigrationFixture()
        let base = Entity("Base", attributes: [name])
        let owner = Entity("Owner", relationships: [Relationship("item", to: "Base")])
        try fixture.open([
            base, Entity("A", superentity: "Base"),
            Entity("B", superentity: "Base", attributes: [Attribute("b", .int64, isOptional: true)]), owner,
        ]) { store in
            try store.write {
                for (entity, id) in [("Base", "0"), ("A", "1"), ("B", "2")] { try put(store, entity, id, ["name": .string(id)]) }
                for id in ["1", "2"] { try store.put("Owner", name: RecordName("o\(id)"), RowEdit(references: ["item": RecordName(id)])) }
            }
            try store.drainChanges()
        }
        try fixture.migrate(to: [base, Entity("A", superentity: "Base"), owner])
        #expect(try classes(fixture, of: "Base") == ["0": "Base", "1": "A"])
        #expect(try fixture.references("o1") == ["item": RecordName("1")])
        #expect(try fixture.references("o2") == [:])
        let waiting = try fixture.open { store in try store.pendingChanges(limit: 9, at: .max).map(\.name) }
        #expect(waiting.count == 4 && !waiting.contains(RecordName("2")))
        try fixture.migrate(to: [base, owner])
        #expect(try classes(fixture, of: "Base") == ["0": "Base"])
    }

    @Test func `entities of a hierarchy are renamed, the root too`() throws {
        let fixture = try MigrationFixture()
        try fixture.open([Entity("Base", attributes: [name]), Entity("A", superentity: "Base")]) { store in
            try store.write {
                try put(store, "Base", "0", ["name": .string("0")])
                try put(store, "A", "1", ["name": .string("1")])
            }
            try store.write { try store.delete(RecordName("1")) }
            try store.write { try put(store, "A", "2", ["name": .string("2")]) }
        }
        try fixture.migrate(to: [Entity("Root", wireName: "Base", attributes: [name]), Entity("Leaf", wireName: "A", superentity: "Root")])
        #expect(try classes(fixture, of: "Root") == ["0": "Root", "2": "Leaf"])
        #expect(try fixture.rows("SELECT entity FROM _sluice_old_1") == [[.text("Leaf")]])
    }

    @Test func `a property of two siblings that moves up is one column with the values of both`() throws {
        let fixture = try MigrationFixture()
        let size = Attribute("size", .int64, isOptional: true)
        try fixture.open([
            Entity("Base"), Entity("A", superentity: "Base", attributes: [size]), Entity("B", superentity: "Base", attributes: [size]),
        ]) { store in
            try store.write {
                try put(store, "A", "1", ["size": .integer(1)])
                try put(store, "B", "2", ["size": .integer(2)])
                try put(store, "Base", "3")
            }
        }
        try fixture.migrate(to: [
            Entity("Base", attributes: [Attribute("size", .int64, isOptional: true, defaultValue: .integer(-1))]),
            Entity("A", superentity: "Base"),
            Entity("B", superentity: "Base"),
        ])
        #expect(try ["1", "2", "3"].map { try fixture.attributes($0)["size"] } == [.integer(1), .integer(2), .integer(-1)])
    }
}
