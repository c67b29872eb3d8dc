import Foundation
import SluiceData

/// A catalog in two versions.
enum CatalogV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Product.self] }

    @Model
    final class Product {
        @Attribute(.unique) var number: Int
        var name: String

        init(number: Int) {
            self.number = number
            name = "Product \(number)"
        }
    }
}

enum CatalogV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Product.self] }

    @Model
    final class Product {
        @Attribute(.unique) var number: Int
        var name: String
        var stock: Int = 3
        var label: String = ""

        init(number: Int) {
            self.number = number
            name = "Product \(number)"
        }
    }
}

enum AdditionPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [CatalogV1.self, CatalogV2.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: CatalogV1.self, toVersion: CatalogV2.self)] }
}

enum StagePlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [CatalogV1.self, CatalogV2.self] }
    static var stages: [MigrationStage] {
        [
            .custom(fromVersion: CatalogV1.self, toVersion: CatalogV2.self, willMigrate: nil) { context in
                try context.update(CatalogV2.Product.self, set: .set(\.stock, to: #Expression { $0.number }))
            }
        ]
    }
}
