import Foundation
import SluiceData
import SluiceSchema
import Testing

@Suite struct ModelShapeTests {
    private let item = ModelShape.of(Shop.Item.self)

    @Test func `a property's kind follows from its type and its options`() throws {
        func kind(_ name: String) -> AttributeKind? { item.property(named: name)?.attributeKind }
        #expect(kind("id") == .scalar(.uuid))
        #expect(kind("count") == .scalar(.int32))
        #expect(item.property(named: "count")?.isOptional == true)
        #expect(kind("status") == .raw(.string))
        #expect(kind("address") == .codable)
        #expect(kind("payment") == .codable)
        #expect(kind("colour") == .transformable("colours"))
        #expect(item.property(named: "list")?.destination == Shop.List.self)
        let items = try #require(ModelShape.of(Shop.List.self).property(named: "items"))
        #expect(items.isToMany && items.destination == Shop.Item.self)
    }

    @Test func `every Swift type that has a column of its own gets it`() {
        let types: [(any Any.Type, AttributeKind)] = [
            (Int8.self, .scalar(.int16)), (UInt8.self, .scalar(.int16)), (Int16.self, .scalar(.int16)), (UInt16.self, .scalar(.int32)),
            (Int32.self, .scalar(.int32)), (UInt32?.self, .scalar(.int64)), (Int.self, .scalar(.int64)), (UInt64.self, .scalar(.int64)),
            (Bool.self, .scalar(.boolean)), (Float.self, .scalar(.float)), (CGFloat.self, .scalar(.double)),
            (Decimal.self, .scalar(.decimal)),
            (URL?.self, .scalar(.url)), (Data.self, .scalar(.data)), ([Int].self, .codable), ([String: Int].self, .codable),
            (Int??.self, .codable), (Shop.Colour.self, .unsupported), ((any Error).self, .unsupported),
        ]
        for (type, kind) in types { #expect(AttributeKind(of: type) == kind, "\(type)") }
        #expect(AttributeKind(of: String.self, options: [.codable]) == .codable)
    }

    @Test func `a default that is made anew each time is no constant`() {
        #expect(item.property(named: "name")?.constantDefault == .string("new"))
        #expect(item.property(named: "price")?.constantDefault == .double(0))
        #expect(item.property(named: "status")?.constantDefault == .string("draft"))
        #expect(item.property(named: "address")?.constantDefault == .data(Data(#"{"street":"A","tags":[]}"#.utf8)))
        for name in ["id", "created"] {
            #expect(item.property(named: name)?.hasDefault == true)
            #expect(item.property(named: name)?.constantDefault == nil)
        }
        #expect(item.property(named: "id")?.makeDefaultValue() as? UUID != item.property(named: "id")?.makeDefaultValue() as? UUID)
        #expect(item.property(named: "count")?.hasDefault == false)
    }

    @Test func `a subclass's properties follow those it inherits`() {
        let car = ModelShape.of(Garage.Car.self)
        #expect(car.properties.map(\.name) == ["name", "plate", "wheels", "owner", "doors"])
        #expect(car.properties.map(\.index) == [0, 1, 2, 3, 4])
        #expect(_inheritedPropertyCount(of: Garage.Car.self) == 4)
        #expect(_inheritedPropertyCount(of: Garage.Vehicle.self) == 0)
        #expect(car.uniqueness == [["plate"]])
        #expect(item.uniqueness == [["id"], ["list", "name"]])
        #expect(car.isKind(of: .of(Garage.Vehicle.self)) && !ModelShape.of(Garage.Vehicle.self).isKind(of: car))
    }

    @Test func `a subclass without metadata of its own adds nothing`() {
        let taxi = ModelShape.of(Garage.Taxi.self)
        #expect(taxi.properties.map(\.name) == ["name", "plate", "wheels", "owner", "doors"])
        #expect(taxi.uniqueness.isEmpty)
        #expect(taxi.entityName == "Taxi")
    }

    @Test func `a key path of a subclass leads to the inherited property`() {
        let car = ModelShape.of(Garage.Car.self)
        #expect(car.property(for: \Garage.Vehicle.plate)?.name == "plate")
        #expect(car.property(for: \Garage.Car.plate)?.name == "plate")
        #expect(car.property(for: \Garage.Car.name)?.name == "name")
        #expect(car.property(for: \Garage.Taxi.plate)?.name == "plate")
        #expect(ModelShape.of(Garage.Vehicle.self).property(for: \Garage.Taxi.name)?.name == "name")
        #expect(ModelShape.of(Garage.Vehicle.self).property(for: \Garage.Car.doors) == nil)
        func generic<Model: Garage.Vehicle>(_ type: Model.Type) -> AnyKeyPath { \Model.plate }
        #expect(car.property(for: generic(Garage.Car.self))?.name == "plate")
    }

    @Test func `a key path without the setter leads to the property that was declared with it`() {
        let keyPath: KeyPath<Garage.Vehicle, Int> = \.wheels
        #expect(ModelShape.of(Garage.Vehicle.self).property(for: keyPath)?.name == "wheels")
    }

    @Test func `a key path to anything else leads nowhere`() {
        #expect(item.property(for: \Shop.Item.address?.street) == nil)
        #expect(item.property(for: \Shop.Item.list?.title) == nil)
        #expect(item.property(for: \Shop.List.title) == nil)
        #expect(item.property(for: \Shop.Item.self) == nil)
        #expect(item.property(for: \String.count) == nil)
    }

    @Test func `shapes are made once, from whichever threads ask`() async {
        let shapes = await withTaskGroup(of: ModelShape.self) { group in
            for _ in 0..<50 { group.addTask { .of(Garage.Owner.self) } }
            return await group.reduce(into: [ModelShape]()) { $0.append($1) }
        }
        #expect(Set(shapes.map(ObjectIdentifier.init)).count == 1)
    }
}
