// The single lines that stand in the articles' sentences, each in the class or function that it needs.

import SwiftData

/// Articles 000, 002 and 003: attributes.
@Model
final class Recording {
    @Attribute(.externalStorage) var samples: Data?
    @Attribute(originalName: "old_field_name") var title: String
    @Attribute(.transformable(by: TintTransformer.self)) var tint: Tint?
    @Attribute(.transformable(by: "TintTransformer")) var shade: Tint?
    // Article 001.
    @Attribute(originalName: "oldName") var newName: String
    @Attribute(.codable) var marks: Marks?

    // `inverse: nil`, and the default rule, which is nullify.
    @Relationship(inverse: nil) var cover: Photo?
    @Relationship(deleteRule: .cascade) var takes: [Take] = []

    init(title: String, newName: String) {
        self.title = title
        self.newName = newName
    }
}

@Model
final class Take {
    var number: Int
    init(number: Int) { self.number = number }
}

/// `@Model.originalName`, of which articles 000, 002 and 003 speak, exists in no interface of Apple's; ours is a parameter.
@Model(originalName: "Tape")
final class Cassette {
    var label: String
    init(label: String) { self.label = label }
}

enum V3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Take.self] }
}

enum V4: VersionedSchema {
    static let versionIdentifier = Schema.Version(4, 0, 0)
    static var models: [any PersistentModel.Type] { [Take.self, Cassette.self] }
}

enum OneLiners {
    /// Article 001, on adopting inheritance.
    static let adoption: MigrationStage = .lightweight(fromVersion: V3.self, toVersion: V4.self)
    static let first = Schema.Version(1, 0, 0)

    /// Article 000: the half of batch work that SwiftData has.
    static func deleteTakes(in context: ModelContext) throws {
        try context.delete(model: Take.self, where: #Predicate { $0.number < 3 })
    }
}

/// Article 004: an identifier as a return value.
@ModelActor
actor Archive {
    func latest(limit: Int) throws -> [PersistentIdentifier] {
        var descriptor = FetchDescriptor<Take>(sortBy: [SortDescriptor(\.number, order: .reverse)])
        descriptor.fetchLimit = limit
        return try modelContext.fetchIdentifiers(descriptor)
    }
}
