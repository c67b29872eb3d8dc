import SwiftData
import Testing

/// What article 001 claims of a name that is split.
@Suite struct PersonTests {
    @Test func `M6: the closure splits every name, and the stage needs no code before it`() throws {
        guard case .custom(let from, let to, nil, let didMigrate?) = PersonMigrationPlan.migrateV1toV2 else {
            Issue.record("the stage has code before it, or none after it")
            return
        }
        #expect("\(from) \(to)" == "SchemaV1 SchemaV2")
        let memory = ModelConfiguration(isStoredInMemoryOnly: true)
        let context = ModelContext(try ModelContainer(for: SchemaV2.Person.self, configurations: memory))
        for name in ["Lovelace, Ada", "Turing, Alan", "Plato", ""] { context.insert(SchemaV2.Person(fullName: name)) }
        try context.save()
        try didMigrate(context)
        let people = try ModelContext(context.container).fetch(FetchDescriptor<SchemaV2.Person>(sortBy: [SortDescriptor(\.fullName)]))
        #expect(people.map(\.lastName) == ["", "Lovelace", "Plato", "Turing"])
        #expect(people.map(\.firstName) == ["", "Ada", "", "Alan"])
    }
}
