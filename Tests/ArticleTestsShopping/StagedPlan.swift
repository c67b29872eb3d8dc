// S5, articles 000, 002 and 003. Added: the plan that the stages belong to, and the function that they call.

import SwiftData

enum StagedMigrationPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [SchemaV1.self, SchemaV2.self] }

    static var stages: [MigrationStage] = [
        MigrationStage.custom(
            fromVersion: SchemaV1.self,
            toVersion: SchemaV2.self,
            willMigrate: { context in
                // Read v1 rows; stage any derived state to a transient store
                // (UserDefaults / temp file) since the v1 and v2 contexts do
                // not share state, and didMigrate cannot read v1.
                let v1Items = try context.fetch(FetchDescriptor<ShoppingItemV1>())
                stageDerivedState(from: v1Items)
            },
            didMigrate: { context in
                // Populate v2-only fields on existing rows
                let v2Items = try context.fetch(FetchDescriptor<ShoppingItemV2>())
                for item in v2Items where item.lastModified == nil {
                    item.lastModified = Date()
                }
                try context.save()
            }
        )
    ]
}

/// Stands for the app's own store between the two closures.
func stageDerivedState(from items: [ShoppingItemV1]) {}
