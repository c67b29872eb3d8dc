import Foundation
import SluiceData
import Testing

@Suite struct ModelFaultTests {
    private func complaints(_ entities: ModelSchema.Entity...) -> [String] {
        do {
            for entity in entities { _ = try ModelSchema(entity).storeSchema(named: "x") }
            return []
        } catch { return error.explanation?.components(separatedBy: "; ") ?? ["\(error)"] }
    }

    private func entity(_ properties: any SchemaProperty..., unique: [[String]] = []) -> ModelSchema.Entity {
        let entity = ModelSchema.Entity("Item")
        entity.storedProperties = properties
        entity.uniquenessConstraints = unique
        return entity
    }

    @Test func `a type that cannot be stored is named`() {
        let found = complaints(entity(ModelSchema.Attribute(name: "colour", valueType: Shop.Colour?.self)))
        #expect(found.first?.hasPrefix("Item.colour: Optional<Colour> cannot be stored") == true)
    }

    @Test func `names that the store keeps to itself are refused for classes, and have others for properties`() {
        #expect(complaints(ModelSchema.Entity("_Item")) != [])
        let cache = ModelSchema.Attribute(name: "_cache", valueType: Int.self)
        #expect(complaints(entity(cache)) == [])
        let taken = complaints(entity(cache, ModelSchema.Attribute(name: "cache_", valueType: Int.self)))
        #expect(taken.first?.hasPrefix("Item.cache_ stands twice") == true)
    }

    @Test func `relationships to many are neither unique nor without limits that fit`() {
        let items = ModelSchema.Relationship(
            name: "items", options: [.unique], valueType: [Shop.Item].self, destination: "Item", minimumModelCount: 3, maximumModelCount: 2)
        let found = complaints(entity(items, unique: [["items"]]))
        #expect(found.contains { $0.hasPrefix("Item.items is a relationship to many") })
        #expect(found.contains { $0.hasPrefix("Item.items: no number of models") })
    }

    @Test func `an order needs several models, and a constraint what is stored`() {
        let list = ModelSchema.Relationship(name: "list", options: [.ordered], valueType: Shop.List?.self, destination: "Item")
        let scratch = ModelSchema.Attribute(name: "scratch", options: [.ephemeral], valueType: Int.self)
        #expect(complaints(entity(list)).first?.hasPrefix("Item.list is a relationship to one") == true)
        #expect(complaints(entity(scratch, unique: [["scratch"]])).first?.hasPrefix("Item.scratch is ephemeral") == true)
        #expect(complaints(entity(scratch)) == [])
        #expect(complaints(entity(unique: [["nowhere"]])) != [])
    }

    @Test func `a key path in a constraint that leads to nothing stored, and @Relationship on a value, are named`() {
        final class Odd: ShapeModel {
            var name: String { get { "" } set {} }
            var persistentBackingData: any BackingData<Odd> { get { preconditionFailure("unused") } set {} }
            init() {}
            static var schemaMetadata: Metadata {
                [
                    .init(name: "name", keypath: \Odd.name, metadata: Schema.Relationship(deleteRule: .cascade)),
                    .init(name: "SwiftData.Schema.Index", keypath: \Schema.encodingVersion, metadata: Schema.Index<Odd>([\.name.count])),
                ]
            }
        }
        let error = #expect(throws: SwiftDataError.invalidSchema) { try ModelSchema([Odd.self]).storeSchema(named: "x") }
        #expect(error?.explanation?.contains("Odd.name holds no model") == true)
        #expect(error?.explanation?.contains("Odd: #Unique or #Index names") == true)
    }

    @Test func `two classes of one name are both named`() {
        enum Other {
            final class Item: ShapeModel {
                var persistentBackingData: any BackingData<Item> {
                    get { preconditionFailure("unused") }
                    set {}
                }
                init() {}
                static var schemaMetadata: Metadata { [] }
            }
        }
        let error = #expect(throws: SwiftDataError.invalidSchema) {
            try ModelSchema([Shop.Item.self, Other.Item.self]).storeSchema(named: "x")
        }
        #expect(error?.explanation?.hasPrefix("two classes make an entity Item") == true)
        #expect(
            ModelSchema([Shop.Item.self, Other.Item.self, Shop.Item.self]).entity(for: Shop.Item.self)?.attributesByName["price"] != nil)
    }

    @Test func `every fault of a schema is reported at once`() {
        let found = complaints(
            entity(ModelSchema.Attribute(name: "a", valueType: Shop.Colour.self), ModelSchema.Attribute(name: "b", valueType: Shop.Colour.self)))
        #expect(found.contains { $0.hasPrefix("Item.a") } && found.contains { $0.hasPrefix("Item.b") })
    }
}
