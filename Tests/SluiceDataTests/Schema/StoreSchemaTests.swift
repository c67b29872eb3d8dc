import Foundation
import SluiceData
import SluiceSchema
import Testing

typealias ModelSchema = SluiceData.Schema

@Suite struct StoreSchemaTests {
    @Test func `classes reached through relationships join, and attributes become columns`() throws {
        let store = try ModelSchema([Shop.List.self], version: .init(1, 2, 3)).storeSchema(named: "shop")
        #expect(store.version == SchemaVersion(1, 2, 3))
        #expect(store.entities.map(\.name) == ["Item", "List"])
        let item = try #require(store.entity(named: "Item"))
        #expect(item.wireName == "Article")
        #expect(
            item.attributes.map(\.name) == ["id", "name", "price", "count", "status", "address", "payment", "colour", "created", "note"])
        #expect(
            item.attributes.map(\.type) == [.uuid, .string, .double, .int32, .string, .codable, .codable, .transformable, .date, .string])
        #expect(item.attributes[1].wireName == "label" && item.attributes[1].defaultValue == .string("new"))
        #expect(item.attributes[3].isOptional && !item.attributes[2].isOptional)
        let note = item.attributes[9]
        #expect(note.isExternal && note.isPreservedOnDeletion && note.hashModifier == "2")
        #expect(item.uniqueness == [["id"], ["list", "name"]])
        #expect(item.indices == [["name", "price"], ["list"]])
    }

    @Test func `an inverse named on one side is filled in on both`() throws {
        let store = try ModelSchema(Shop.Item.self).storeSchema(named: "shop")
        let items = try #require(store.entity(named: "List")?.relationships.first)
        #expect(items.isToMany && items.inverse == "list" && items.deleteRule == .cascade && items.maximumCount == 9)
        let list = try #require(store.entity(named: "Item")?.relationships.first)
        #expect(!list.isToMany && list.isOptional && list.inverse == "items" && list.deleteRule == .nullify)
    }

    @Test func `a subclass brings its superclass, and relationships of the superclass find their inverse`() throws {
        let store = try ModelSchema([Garage.Taxi.self]).storeSchema(named: "garage")
        #expect(store.entities.map(\.name) == ["Car", "Owner", "Taxi", "Vehicle"])
        #expect(store.entity(named: "Taxi")?.superentity == "Car")
        #expect(store.entity(named: "Car")?.attributes.map(\.name) == ["doors"])
        #expect(store.entity(named: "Vehicle")?.relationships.first?.inverse == "vehicles")
        #expect(store.entity(named: "Owner")?.relationships.first?.inverse == "owner")
        // Subclasses are not found from above.
        #expect(ModelSchema([Garage.Owner.self]).entities.map(\.name) == ["Owner", "Vehicle"])
    }

    @Test func `a set with a one-to-one relationship says nothing that the relationship does not`() throws {
        let store = try ModelSchema([Inverses.Passport.self]).storeSchema(named: "x")
        #expect(store.entity(named: "Holder")?.relationships.first?.inverse == "holder")
        #expect(store.entity(named: "Passport")?.uniqueness == [["country", "number"]])
    }

    @Test func `the same classes give the same bytes each time`() throws {
        let first = try ModelSchema([Shop.List.self, Garage.Taxi.self]).storeSchema(named: "x").shapeEncoding()
        let second = try ModelSchema([Garage.Taxi.self, Shop.Item.self]).storeSchema(named: "x").shapeEncoding()
        #expect(first == second)
    }
}
