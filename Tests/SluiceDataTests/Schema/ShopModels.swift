import Foundation
import SluiceData

/// Classes of a shop, their metadata as `@Model` would write it.
enum Shop {
    enum Status: String, Codable { case draft, done }
    struct Address: Codable, Equatable {
        var street = ""
        var tags: [String] = []
    }
    enum Payment: Codable { case cash, card(number: String) }
    final class Colour { }

    final class List: ShapeModel {
        var title: String { "" }
        var items: [Item] { get { [] } set {} }
        var persistentBackingData: any BackingData<List> { get { preconditionFailure("unused") } set {} }
        init() {}
        static var schemaMetadata: Metadata {
            [
                .init(name: "title", keypath: \List.title),
                .init(
                    name: "items", keypath: \List.items, defaultValue: [Item](),
                    metadata: Schema.Relationship(deleteRule: .cascade, minimumModelCount: 0, maximumModelCount: 9, inverse: \Item.list)),
            ]
        }
    }

    final class Item: ShapeModel {
        var id: UUID { get { UUID() } set {} }
        var name: String { get { "" } set {} }
        var price: Double { get { 0 } set {} }
        var count: UInt16? { get { nil } set {} }
        var status: Status { get { .draft } set {} }
        var address: Address? { get { nil } set {} }
        var payment: Payment { get { .cash } set {} }
        var colour: Colour? { get { nil } set {} }
        var created: Date { get { .now } set {} }
        var note: String? { get { nil } set {} }
        var scratch: Int { get { 0 } set {} }
        var list: List? { get { nil } set {} }
        var persistentBackingData: any BackingData<Item> { get { preconditionFailure("unused") } set {} }
        init() {}
        static var _$originalName: String? { "Article" }
        static var schemaMetadata: Metadata {
            [
                .init(name: "id", keypath: \Item.id, defaultValue: UUID(), metadata: Schema.Attribute(.unique)),
                .init(name: "name", keypath: \Item.name, defaultValue: "new", metadata: Schema.Attribute(originalName: "label")),
                .init(name: "price", keypath: \Item.price, defaultValue: 0),
                .init(name: "count", keypath: \Item.count),
                .init(name: "status", keypath: \Item.status, defaultValue: Status.draft as Status),
                .init(name: "address", keypath: \Item.address, defaultValue: Address(street: "A")),
                .init(name: "payment", keypath: \Item.payment, defaultValue: Payment.cash),
                .init(name: "colour", keypath: \Item.colour, metadata: Schema.Attribute(.transformable(by: "colours"))),
                .init(name: "created", keypath: \Item.created, defaultValue: Calendar.current.startOfDay(for: .now)),
                .init(
                    name: "note", keypath: \Item.note,
                    metadata: Schema.Attribute(.externalStorage, .preserveValueOnDeletion, hashModifier: "2")),
                .init(name: "scratch", keypath: \Item.scratch, defaultValue: 0, metadata: Schema.Attribute(.ephemeral)),
                .init(name: "list", keypath: \Item.list),
                .init(
                    name: "SwiftData.Schema.Index", keypath: \Schema.encodingVersion,
                    metadata: Schema.Index<Item>([\.name, \.price], [\.list])),
                .init(
                    name: "SwiftData.Schema.Unique", keypath: \Schema.encodingVersion,
                    metadata: Schema.Unique<Item>([\.list, \.name], [\.id])),
            ]
        }
    }
}

/// A hierarchy.
enum Garage {
    class Vehicle: PersistentModel {
        var name: String { get { "" } set {} }
        var plate: String { get { "" } set {} }
        private(set) var wheels: Int { get { 4 } set {} }
        var owner: Owner? { get { nil } set {} }
        static var _$originalName: String? { nil }
        required init() {}
        required init(backingData: any BackingData<Vehicle>) {}
        required init(_$state: _ModelState) {}
        var persistentBackingData: any BackingData<Vehicle> { get { preconditionFailure("unused") } set {} }
        final var _$state: _ModelState { preconditionFailure("unused") }
        func _$decode(_ row: _RowReader) {}
        func _$encode(_ row: _RowWriter) {}
        func _$visit<Visitor: _PropertyVisitor>(_ visitor: inout Visitor) {}
        class var schemaMetadata: Metadata {
            [
                .init(name: "name", keypath: \Vehicle.name, defaultValue: "a"), .init(name: "plate", keypath: \Vehicle.plate),
                .init(name: "wheels", keypath: \Vehicle.wheels, defaultValue: 4), .init(name: "owner", keypath: \Vehicle.owner),
            ]
        }
    }

    class Car: Vehicle {
        var doors: Int { get { 4 } set {} }
        override class var schemaMetadata: Metadata {
            [
                .init(name: "doors", keypath: \Car.doors, defaultValue: 4),
                .init(name: "SwiftData.Schema.Unique", keypath: \Schema.encodingVersion, metadata: Schema.Unique<Car>([\.plate])),
            ]
        }
    }

    /// Without `@Model` of its own.
    final class Taxi: Car {}

    final class Owner: ShapeModel {
        var vehicles: [Vehicle] { get { [] } set {} }
        var persistentBackingData: any BackingData<Owner> { get { preconditionFailure("unused") } set {} }
        init() {}
        static var schemaMetadata: Metadata { [.init(name: "vehicles", keypath: \Owner.vehicles, defaultValue: [Vehicle]())] }
    }
}
