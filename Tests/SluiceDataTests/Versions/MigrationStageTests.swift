import SluiceData
import Testing

@Suite struct MigrationStageTests {
    private enum ShopV1: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static var models: [any PersistentModel.Type] { [Shop.List.self] }
    }

    private enum ShopV2: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static let models: [any PersistentModel.Type] = [Shop.List.self, Garage.Car.self]
    }

    private enum ShopPlan: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [ShopV1.self, ShopV2.self]
        // Stored, as in sources written for Swift 5: stages and versions are Sendable.
        static let stages: [MigrationStage] = [
            .lightweight(fromVersion: ShopV1.self, toVersion: ShopV2.self),
            .custom(fromVersion: ShopV1.self, toVersion: ShopV2.self, willMigrate: nil, didMigrate: { _ in }),
            MigrationStage.custom(
                fromVersion: ShopV1.self, toVersion: ShopV2.self, willMigrate: { context in _ = context }, didMigrate: nil),
        ]
    }

    @Test func `a versioned schema makes a schema of its models and version`() {
        let schema = Schema(versionedSchema: ShopV2.self)
        #expect(schema.version == Schema.Version(2, 0, 0))
        #expect(Set(schema.entities.map(\.name)) == ["List", "Item", "Car", "Vehicle", "Owner"])
    }

    @Test func `a stage knows its versions`() {
        #expect(ShopPlan.stages.allSatisfy { $0.fromVersion == ShopV1.self && $0.toVersion == ShopV2.self })
        #expect(ShopPlan.stages.map(\.debugDescription).first == "MigrationStage.lightweight(ShopV1 → ShopV2)")
    }
}
