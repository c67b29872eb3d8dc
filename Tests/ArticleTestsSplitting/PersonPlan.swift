// M6, article 001. Added: the import line, the plan that the stage belongs to, and the two versions with the class that it splits a name of.

import SwiftData

enum SchemaV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Person.self] }

    @Model
    final class Person {
        var fullName: String
        init(fullName: String) { self.fullName = fullName }
    }
}

enum SchemaV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Person.self] }

    @Model
    final class Person {
        var fullName: String
        var firstName: String = ""
        var lastName: String = ""
        init(fullName: String) { self.fullName = fullName }
    }
}

enum PersonMigrationPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [SchemaV1.self, SchemaV2.self] }
    static var stages: [MigrationStage] { [migrateV1toV2] }

    static let migrateV1toV2 = MigrationStage.custom(
        fromVersion: SchemaV1.self,
        toVersion: SchemaV2.self,
        willMigrate: nil,
        didMigrate: { context in
            let descriptor = FetchDescriptor<SchemaV2.Person>()
            let people = try context.fetch(descriptor)
            for person in people {
                let parts = person.fullName.split(separator: ", ", maxSplits: 1)
                person.lastName = String(parts.first ?? "")
                person.firstName = String(parts.dropFirst().first ?? "")
            }
            try context.save()
        }
    )
}
