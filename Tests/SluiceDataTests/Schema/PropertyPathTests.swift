import SluiceData
import Testing

@Suite struct PropertyPathTests {
    private func path(_ type: any PersistentModel.Type, _ keyPath: AnyKeyPath) -> String? {
        ModelShape.of(type).path(for: keyPath).map { ($0.properties.map(\.name) + $0.members.map { "$\($0)" }).joined(separator: " ") }
    }

    @Test func `a path passes relationships to one and ends at a property`() {
        #expect(path(Shop.Item.self, \Shop.Item.name) == "name")
        #expect(path(Shop.Item.self, \Shop.Item.list?.title) == "list title")
        #expect(path(Shop.Item.self, \Shop.Item.list!.title) == "list title")
        #expect(path(Garage.Car.self, \Garage.Car.owner) == "owner")
    }

    @Test func `a path goes into the stored members of a codable value`() {
        #expect(path(Shop.Item.self, \Shop.Item.address?.street) == "address $street")
        #expect(path(Shop.Item.self, \Shop.Item.address!.tags) == "address $tags")
    }

    @Test func `a path through anything that is not stored is none`() {
        #expect(path(Shop.Item.self, \Shop.Item.name.count) == nil)
        #expect(path(Shop.Item.self, \Shop.Item.address?.street.count) == nil)
        #expect(path(Inverses.Passport.self, \Inverses.Passport.country.rawValue) == nil)
        #expect(path(Shop.List.self, \Shop.List.items.count) == nil)
        #expect(path(Shop.List.self, \Shop.List.items[0].name) == nil)
        #expect(path(Shop.List.self, \Shop.Item.name) == nil)
        #expect(path(Garage.Vehicle.self, \Garage.Car.doors) == nil)
    }
}

@Suite struct KeyPathStepTests {
    @Test func `key paths of this toolchain are laid out as expected`() {
        #expect(KeyPathStep.steps(of: \Shop.Item.self) == [])
        #expect(KeyPathStep.steps(of: \Shop.Item.name)?.count == 1)
        #expect(KeyPathStep.steps(of: \Shop.Item.list?.title)?.count == 4)
        #expect(KeyPathStep.steps(of: \Shop.Address.street) == [.field(offset: 0)])
        #expect(KeyPathStep.steps(of: \Shop.Address.tags) == [.field(offset: MemoryLayout<String>.size)])
        #expect(KeyPathStep.steps(of: \Shop.List.items[3].name)?.count == 3)
        #expect(KeyPathStep.steps(of: \[String: [Int]]["a"]?[2])?.count == 4)
        #expect(KeyPathStep.steps(of: \Shop.Item.address!.street)?.count == 3)
        #expect(KeyPathStep.steps(of: \(Int, String).1) == [.field(offset: 8)])
    }

    @Test func `one property has one step, whichever class of its hierarchy stands at the root`() {
        func generic<Model: Garage.Vehicle>(_ type: Model.Type) -> AnyKeyPath { \Model.plate }
        let declared = KeyPathStep.steps(of: \Garage.Vehicle.plate)
        #expect(declared == KeyPathStep.steps(of: \Garage.Car.plate))
        #expect(declared == KeyPathStep.steps(of: generic(Garage.Taxi.self)))
        #expect(declared != KeyPathStep.steps(of: \Garage.Vehicle.name))
    }
}
