import SwiftData
import Testing

/// What article 001 claims of a name that is split: M6 over rows, and the field that goes later.
@Suite struct PersonMigrationTests {
    private func withFile(_ body: (ModelConfiguration) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "articles-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(ModelConfiguration(url: folder.appending(path: "People.store", directoryHint: .notDirectory)))
    }

    private func fill(_ configuration: ModelConfiguration) throws {
        let context = ModelContext(try ModelContainer(for: SchemaV1.Person.self, configurations: configuration))
        for name in ["Lovelace, Ada", "Turing, Alan", "Plato", ""] { context.insert(SchemaV1.Person(fullName: name)) }
        try context.save()
    }

    @Test func `M6, behaviours 48, 57: both names are filled in every row`() throws {
        try withFile { configuration in
            try fill(configuration)
            let container = try ModelContainer(
                for: SchemaV2.Person.self, migrationPlan: PersonMigrationPlan.self, configurations: configuration)
            let people = try ModelContext(container).fetch(FetchDescriptor<SchemaV2.Person>(sortBy: [SortDescriptor(\.fullName)]))
            #expect(people.map(\.fullName) == ["", "Lovelace, Ada", "Plato", "Turing, Alan"])
            #expect(people.map(\.lastName) == ["", "Lovelace", "Plato", "Turing"])
            #expect(people.map(\.firstName) == ["", "Ada", "", "Alan"])
        }
    }

    @Test(arguments: [1, 2]) func `M6, behaviour 58: the field that was split goes in a later stage`(start: Int) throws {
        try withFile { configuration in
            try fill(configuration)
            if start == 2 {
                _ = try ModelContainer(for: SchemaV2.Person.self, migrationPlan: PersonMigrationPlan.self, configurations: configuration)
            }
            let container = try ModelContainer(
                for: SchemaV3.Person.self, migrationPlan: LaterMigrationPlan.self, configurations: configuration)
            let people = try ModelContext(container).fetch(FetchDescriptor<SchemaV3.Person>(sortBy: [SortDescriptor(\.lastName)]))
            #expect(people.map { "\($0.firstName) \($0.lastName)" } == [" ", "Ada Lovelace", " Plato", "Alan Turing"])
        }
    }
}

/// What the article announces: the version without the field that was split.
enum SchemaV3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Person.self] }

    @Model
    final class Person {
        var firstName: String = ""
        var lastName: String = ""
        init(firstName: String, lastName: String) {
            self.firstName = firstName
            self.lastName = lastName
        }
    }
}

enum LaterMigrationPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [SchemaV1.self, SchemaV2.self, SchemaV3.self] }
    static var stages: [MigrationStage] {
        [PersonMigrationPlan.migrateV1toV2, .lightweight(fromVersion: SchemaV2.self, toVersion: SchemaV3.self)]
    }
}
