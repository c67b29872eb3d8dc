// S4, articles 000, 002 and 003. Added: the import line, names for the two classes, and a scope that throws.

import SwiftData

typealias ShoppingItemV1 = SchemaV1.ShoppingItemV1
typealias ShoppingItemV2 = SchemaV2.ShoppingItemV2

enum ShoppingContainer {
    static func open() throws -> ModelContainer {
        let container = try ModelContainer(
            for: ShoppingItemV2.self,
            migrationPlan: AppMigrationPlan.self,
            configurations: ModelConfiguration("ShoppingList")
        )
        return container
    }
}
