// S5, articles 000, 002 and 003. Added: the plan that the stages belong to, and the function that they call.

import Synchronization
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

/// The app's own store between the two closures: of each row what is to be known later.
func stageDerivedState(from items: [ShoppingItemV1]) {
    StagedState.current.hold(items.map { "\($0.amount) \($0.name)" }.sorted())
}

/// What `stageDerivedState` put aside while a test ran.
final class StagedState: Sendable {
    @TaskLocal static var current = StagedState()
    private let held = Mutex<[[String]]>([])

    /// One list for each time that the closure ran.
    var lists: [[String]] { held.withLock { $0 } }
    func hold(_ list: [String]) { held.withLock { $0.append(list) } }
}
