import Foundation
import SluiceData
import Testing

@Suite struct SchemaTests {
    @Test func `a schema shows entities, their properties and their inverses`() throws {
        let schema = ModelSchema([Shop.List.self])
        #expect(schema.entities.map(\.name) == ["List", "Item"])
        #expect(ModelSchema.entityName(for: Shop.Item.self) == "Item")
        let item = try #require(schema.entity(for: Shop.Item.self))
        #expect(item.properties.map(\.name).prefix(3) == ["id", "name", "price"])
        #expect(item.attributesByName["id"]?.isUnique == true)
        #expect(item.attributesByName["name"]?.originalName == "label")
        #expect(item.attributesByName["price"]?.originalName == "price")
        #expect(item.attributesByName["count"]?.isOptional == true)
        #expect(item.attributesByName["colour"]?.isTransformable == true)
        #expect(item.relationshipsByName["list"]?.inverseName == "items")
        #expect(item.relationshipsByName["list"]?.isToOneRelationship == true)
        #expect(item.uniquenessConstraints == [["id"], ["list", "name"]])
        #expect(schema.entity(for: Garage.Car.self) == nil)
        #expect(item.storedPropertiesByName["id"]?.isAttribute == true && item.storedPropertiesByName["list"]?.isRelationship == true)
    }

    @Test func `superentities know their subentities and hand their properties down`() throws {
        let schema = ModelSchema([Garage.Taxi.self])
        let taxi = try #require(schema.entitiesByName["Taxi"])
        #expect(schema.entities.map(\.name).first != "Taxi")
        #expect(taxi.superentity?.superentity?.name == "Vehicle")
        #expect(taxi.inheritedProperties.map(\.name) == ["name", "plate", "wheels", "owner", "doors"])
        #expect(schema.entitiesByName["Vehicle"]?.subentities.map(\.name) == ["Car"])
    }

    @Test func `entities made by hand give the schema that classes of that shape give`() throws {
        let car = ModelSchema.Entity("Car", properties: ModelSchema.Attribute(name: "doors", valueType: Int.self, defaultValue: 4))
        car.uniquenessConstraints = [["plate"]]
        let vehicle = ModelSchema.Entity(
            "Vehicle", subentities: car,
            properties: ModelSchema.Attribute(name: "name", valueType: String.self, defaultValue: "a"),
            ModelSchema.Attribute(name: "plate", valueType: String.self),
            ModelSchema.Attribute(name: "wheels", valueType: Int.self, defaultValue: 4),
            ModelSchema.Relationship(name: "owner", valueType: Garage.Owner?.self, destination: "Owner"))
        let owner = ModelSchema.Entity(
            "Owner", properties: ModelSchema.Relationship(name: "vehicles", valueType: [Garage.Vehicle].self, destination: "Vehicle"))
        let byHand = try ModelSchema(vehicle, owner).storeSchema(named: "x")
        #expect(try byHand == ModelSchema([Garage.Car.self]).storeSchema(named: "x"))
    }

    @Test func `a saved schema loads as it was, and means the same to a store`() throws {
        let schema = ModelSchema([Shop.List.self, Garage.Taxi.self, Inverses.Shelf.self], version: .init(2, 1, 0))
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }  // The folder is temporary anyway.
        try schema.save(to: file)
        let loaded = try ModelSchema.load(from: file)
        #expect(loaded == schema && loaded.version == ModelSchema.Version(2, 1, 0))
        #expect(try loaded.storeSchema(named: "x") == schema.storeSchema(named: "x"))
        #expect(loaded.entitiesByName["Item"]?.attributesByName["status"]?.valueType == Shop.Status.self)
    }

    @Test func `a loaded type that this program does not have keeps its column`() throws {
        let schema = ModelSchema(
            ModelSchema.Entity("Item", properties: ModelSchema.Attribute(name: "status", valueType: Shop.Status?.self)))
        let text = String(decoding: try JSONEncoder().encode(schema), as: UTF8.self)
        let name = try #require(_mangledTypeName(Shop.Status?.self))
        for unknown in ["nothing", "", "\\u0001abcd", "$s", "Si_____"] {
            let loaded = try JSONDecoder().decode(ModelSchema.self, from: Data(text.replacing(name, with: unknown).utf8))
            #expect(try loaded.storeSchema(named: "x") == schema.storeSchema(named: "x"), "\(unknown)")
        }
    }

    @Test func `a schema file of a later form is refused`() throws {
        let form = #"{"encodingVersion":{"major":2,"minor":0,"patch":0},"version":{"major":1,"minor":0,"patch":0},"entities":[]}"#
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(ModelSchema.self, from: Data(form.utf8)) }
        let negative = #"{"encodingVersion":{"major":1,"minor":0,"patch":-1},"version":{"major":1,"minor":0,"patch":0},"entities":[]}"#
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(ModelSchema.self, from: Data(negative.utf8)) }
    }

    @Test func `a superentity of itself is a fault, not an endless loop`() {
        let entity = ModelSchema.Entity("Item")
        entity.superentityName = "Item"
        #expect(throws: SwiftDataError.invalidSchema) { try ModelSchema(entity).storeSchema(named: "x") }
        let (first, second) = (ModelSchema.Entity("A"), ModelSchema.Entity("B"))
        first.superentityName = "B"
        second.superentityName = "A"
        #expect(throws: SwiftDataError.invalidSchema) { try ModelSchema(first, second).storeSchema(named: "x") }
    }

    @Test func `versions compare from the left`() {
        #expect(ModelSchema.Version(1, 9, 9) < ModelSchema.Version(2, 0, 0) && ModelSchema.Version(1, 2, 3).description == "1.2.3")
    }

    @Test func `constraints are kept by their properties' names`() throws {
        let unique = ModelSchema.Unique<Shop.Item>([\.list, \.name], [\.id])
        let bytes = try JSONEncoder().encode(unique)
        #expect(String(decoding: bytes, as: UTF8.self) == #"[["list","name"],["id"]]"#)
        #expect(try JSONDecoder().decode(ModelSchema.Unique<Shop.Item>.self, from: bytes) == unique)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(ModelSchema.Index<Shop.Item>.self, from: Data(#"[["nowhere"]]"#.utf8))
        }
        #expect(ModelSchema.Index<Shop.Item>(.binary([\.name]), .rtree([\.price])).isUnique == false)
    }
}
