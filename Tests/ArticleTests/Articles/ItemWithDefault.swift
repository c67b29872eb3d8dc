// M4 and M5, article 001. Added to M4: the protocol's two requirements and an initialiser. Added to M5: a throwing scope, and a file where the article
// has an ellipsis.

import SwiftData

// V1 schema
enum SchemaV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }

    @Model
    final class Item {
        var name: String
        // BEFORE: just these two properties
        var createdAt: Date
        // AFTER: add a third with inline default
        var isFavorite: Bool = false   // Lightweight, automatic

        init(name: String, createdAt: Date) {
            self.name = name
            self.createdAt = createdAt
        }
    }
}

enum ItemContainer {
    static func open(_ url: URL) throws -> ModelContainer {
        let container = try ModelContainer(
            for: SchemaV1.Item.self,
            configurations: ModelConfiguration(url: url)
        )
        return container
    }
}
