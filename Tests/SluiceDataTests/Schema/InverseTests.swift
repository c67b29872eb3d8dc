import SluiceData
import SluiceSchema
import Testing

@Suite struct InverseTests {
    private func inverse(_ schema: ModelSchema, _ entity: String, _ name: String) throws -> String? {
        let store = try schema.storeSchema(named: "x")
        return try #require(store.entity(named: entity)?.relationships.first { $0.name == name }).inverse
    }

    @Test func `two relationships that could be the other end are none`() throws {
        let schema = ModelSchema([Inverses.Author.self])
        #expect(try inverse(schema, "Author", "books") == nil)
        #expect(try inverse(schema, "Author", "edited") == nil)
        #expect(try inverse(schema, "Book", "author") == nil)
    }

    @Test func `within one class only a to-one and a to-many belong together by themselves`() throws {
        #expect(try inverse(ModelSchema([Inverses.Person.self]), "Person", "mother") == nil)
        #expect(try inverse(ModelSchema([Inverses.Folder.self]), "Folder", "parent") == "children")
        #expect(try inverse(ModelSchema([Inverses.Folder.self]), "Folder", "children") == "parent")
    }

    @Test func `an inverse declared as nil makes a one-way relationship`() throws {
        let schema = ModelSchema([Inverses.Shelf.self])
        #expect(try inverse(schema, "Shelf", "crates") == nil)
        #expect(try inverse(schema, "Crate", "shelf") == nil)
        #expect(try schema.storeSchema(named: "x").entity(named: "Shelf")?.relationships.first?.isOrdered == true)
    }

    /// Two entities made by hand, whose relationships the caller declares.
    private func pair(_ item: [ModelSchema.Relationship], _ list: [ModelSchema.Relationship]) -> ModelSchema {
        let first = ModelSchema.Entity("Item")
        first.storedProperties = [ModelSchema.Attribute(name: "name", valueType: String.self)] + item
        let second = ModelSchema.Entity("List")
        second.storedProperties = list
        return ModelSchema(first, second)
    }

    private func toOne(_ name: String, to destination: String, inverse: String? = nil, keyPath: AnyKeyPath? = nil)
        -> ModelSchema.Relationship
    {
        .init(name: name, valueType: Any?.self, destination: destination, inverseName: inverse, inverseKeyPath: keyPath)
    }

    private func complaint(_ schema: ModelSchema) -> String {
        do throws(SwiftDataError) {
            _ = try schema.storeSchema(named: "x")
            return "none"
        } catch { return error == SwiftDataError.invalidSchema ? error.explanation ?? "" : "\(error)" }
    }

    @Test func `each contradiction names class and property and says what to write`() {
        #expect(
            complaint(pair([toOne("list", to: "Lost")], []))
                == "Item.list: the schema has no entity Lost; add it")
        #expect(
            complaint(pair([toOne("list", to: "List", inverse: "items")], []))
                == "Item.list: its inverse List.items is no relationship; name one that leads to Item")
        #expect(
            complaint(pair([toOne("list", to: "List", inverse: "other")], [toOne("other", to: "List")]))
                == "Item.list: its inverse List.other leads to List; name one that leads to Item")
        #expect(
            complaint(pair([toOne("a", to: "List", inverse: "x"), toOne("b", to: "List", inverse: "x")], [toOne("x", to: "Item")]))
                == "Item.b: List.x is the inverse of Item.a already; give each an inverse of its own")
        #expect(
            complaint(pair([toOne("a", to: "List", inverse: "x"), toOne("b", to: "List")], [toOne("x", to: "Item", inverse: "b")]))
                == "List.x: Item.b names another inverse; write inverse: on one side only")
        #expect(
            complaint(pair([toOne("list", to: "List", keyPath: \Shop.Item.name)], []))
                .hasSuffix("is no property of List, its destination; write \\List.…"))
    }

    @Test func `an inverse named on both sides alike is sound`() throws {
        let schema = pair([toOne("list", to: "List", inverse: "item")], [toOne("item", to: "Item", inverse: "list")])
        #expect(try inverse(schema, "Item", "list") == "item")
    }
}
