import SwiftData

// What the articles' classes were before, where an article shows only what became of them.

/// M4, before its third property.
enum ItemBefore {
    @Model
    final class Item {
        var name: String
        var createdAt: Date

        init(name: String, createdAt: Date) {
            self.name = name
            self.createdAt = createdAt
        }
    }
}

/// M4, as the article warns: a second version of the same classes.
enum ItemAgain: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [SchemaV1.Item.self] }
}

enum RepeatedItemPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [SchemaV1.self, ItemAgain.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: SchemaV1.self, toVersion: ItemAgain.self)] }
}

/// M7, before it has a child.
enum FlatVehicles: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Vehicle.self] }

    @Model
    final class Vehicle {
        var make: String
        var year: Int

        init(make: String, year: Int) {
            self.make = make
            self.year = year
        }
    }
}

enum VehicleFamily: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Vehicle.self, Car.self] }
}

enum VehiclePlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [FlatVehicles.self, VehicleFamily.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: FlatVehicles.self, toVersion: VehicleFamily.self)] }
}
