import Foundation
import SluiceData
import Testing

/// Versions, plans and stages: behaviours 38 to 65.
@Suite(.timeLimit(.minutes(10))) struct StagedPlanTests {
    private let store: MigrationFixture

    init() throws { store = try MigrationFixture() }

    /// A store of the first version, made without a plan: nobody wrote a version into it.
    private func fill() throws {
        let context = ModelContext(try store.open(RegistryV1.Person.self, RegistryV1.Note.self))
        for (number, name) in [(1, "Lovelace, Ada"), (2, "Hopper, Grace"), (3, "Plato")] {
            let person = RegistryV1.Person(number: number, fullName: name)
            context.insert(person)
            for text in ["a", "b", ""].prefix(number) { context.insert(RegistryV1.Note(text: text, person: person)) }
        }
        try context.save()
    }

    private func people(_ container: ModelContainer) throws -> [String] {
        try ModelContext(container).fetch(FetchDescriptor<RegistryV3.Person>(sortBy: [SortDescriptor(\.number)])).map {
            "\($0.number) \($0.first) \($0.last) \($0.noteCount) \($0.notes.map(\.text).sorted())"
        }
    }

    private let expected = [#"1 Ada Lovelace 1 ["a"]"#, #"2 Grace Hopper 2 ["a", "b"]"#, #"3  Plato 2 ["a", "b"]"#]

    @Test func `behaviours 40, 41, 45, 46, 49, 52, 56, 57, 58: every stage from the store's version runs once, in order, over rows of its own version`() throws {
        try fill()
        let log = StageLog()
        try StageLog.$current.withValue(log) {
            let found = try people(store.open(RegistryV3.self, plan: RegistryPlan.self))
            #expect(found == expected)
            #expect(log.lines == ["before 2: 3", "after 2", "after 3"])
        }
    }

    @Test func `behaviours 53, 65: a store of each version upgrades, and the next opening runs nothing`() throws {
        for start in 1...3 {
            let store = try MigrationFixture()
            let own = StagedPlanTests(store)
            try own.fill()
            let log = StageLog()
            try StageLog.$current.withValue(log) {
                if start >= 2 { _ = try store.open(RegistryV2.self, plan: RegistryPlan.self) }
                if start == 3 { _ = try store.open(RegistryV3.self, plan: RegistryPlan.self) }
                #expect(try people(store.open(RegistryV3.self, plan: RegistryPlan.self)) == expected)
                #expect(log.lines == ["before 2: 3", "after 2", "after 3"])
                #expect(try people(store.open(RegistryV3.self, plan: RegistryPlan.self)) == expected)
                #expect(log.lines.count == 3)
            }
        }
    }

    @Test func `behaviour 42: a version that was declared otherwise than it was released is named with what differs`() throws {
        do {
            let context = ModelContext(try store.open(Plain.Item.self))
            context.insert(Plain.Item(code: 1, name: "rice"))
            try context.save()
        }
        try store.refuses(.unknownSchema, mentioning: "Item", "RegistryPlan") { try store.open(RegistryV3.self, plan: RegistryPlan.self) }
    }

    @Test func `behaviour 43: two versions of one shape are named before any file is touched`() throws {
        #expect(throws: SwiftDataError.duplicateVersionChecksums) { try store.open(RepeatingPlan.Again.self, plan: RepeatingPlan.self) }
        #expect(!FileManager.default.fileExists(atPath: store.url.path))
        try fill()
        try store.refuses(.duplicateVersionChecksums, mentioning: "RegistryV1", "Again") {
            try store.open(RepeatingPlan.Again.self, plan: RepeatingPlan.self)
        }
    }

    @Test func `behaviours 44, 48: a lightweight stage, and a custom one without closures, need no code`() throws {
        try fill()
        let container = try store.open(RegistryV2.self, plan: OldPlan.self)
        let people = try ModelContext(container).fetch(FetchDescriptor<RegistryV2.Person>(sortBy: [SortDescriptor(\.number)]))
        #expect(people.map(\.fullName) == ["Lovelace, Ada", "Hopper, Grace", "Plato"] && people.allSatisfy { $0.first.isEmpty })
        let other = try MigrationFixture()
        try StagedPlanTests(other).fill()
        #expect(try ModelContext(other.open(RegistryV2.self, plan: ShortPlan.self)).fetchCount(FetchDescriptor<RegistryV2.Note>()) == 6)
    }

    @Test func `behaviours 45, 46: a stage's context knows the classes of its own version only`() throws {
        try fill()
        let container = try store.open(RegistryV2.self, plan: CuriousPlan.self)
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<RegistryV2.Person>()) == 3)
    }

    @Test func `behaviours 50, 51: an error of a stage is the container's error, and the store is as it was`() throws {
        try fill()
        let before = try store.bytes()
        #expect(throws: StageFailure.self) { try store.open(RegistryV3.self, plan: FailingPlan.self) }
        #expect(try store.bytes() == before)
        #expect(try people(store.open(RegistryV3.self, plan: RegistryPlan.self)) == expected)
    }

    @Test func `behaviour 56: a required value that a stage leaves out is named with the number of rows`() throws {
        try fill()
        try store.refuses(.loadIssueModelContainer, mentioning: "Person", "noteCount", "2") {
            try store.open(RegistryV3.self, plan: ForgetfulPlan.self)
        }
    }

    @Test func `a plan that leads nowhere says which stage is missing`() throws {
        try fill()
        try store.refuses(.invalidConfiguration, mentioning: "ShortPlan", "RegistryV2") { try store.open(RegistryV3.self, plan: ShortPlan.self) }
    }

    @Test func `a store of a later version than the plan's is refused`() throws {
        try fill()
        do { _ = try store.open(RegistryV3.self, plan: RegistryPlan.self) }
        try store.refuses(.backwardMigration) { try store.open(RegistryV2.self, plan: OldPlan.self) }
        try store.refuses(.backwardMigration) { try store.open(RegistryV2.self, plan: RegistryPlan.self) }
    }

    @Test func `a new store is made of the newest version`() throws {
        let log = StageLog()
        try StageLog.$current.withValue(log) {
            let found = try people(store.open(RegistryV3.self, plan: RegistryPlan.self))
            #expect(found.isEmpty)
            #expect(log.lines.isEmpty)
        }
        #expect(try store.backups.isEmpty)
    }

    @Test func `a migration with code leaves a backup that opens with the classes of before`() throws {
        try fill()
        do { _ = try store.open(RegistryV3.self, plan: RegistryPlan.self) }
        let path = try #require(try store.backups.first)
        let container = try ModelContainer(
            for: RegistryV1.Person.self, configurations: ModelConfiguration(url: URL(filePath: path), allowsSave: false))
        #expect(try ModelContext(container).fetch(FetchDescriptor<RegistryV1.Person>(sortBy: [SortDescriptor(\.number)])).map(\.fullName).first == "Lovelace, Ada")
    }

    @Test func `behaviours 71, 72: history has what the stages changed, as a migration's`() throws {
        try fill()
        let context = ModelContext(try store.open(RegistryV3.self, plan: RegistryPlan.self))
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
        let author = "migration"
        descriptor.predicate = #Predicate { $0.author == author }
        let found = try context.fetchHistory(descriptor)
        #expect(!found.isEmpty)
        #expect(try store.migrationEntryCount > 0)
    }

    @Test func `behaviour 69: of two programs that open an old store at once one migrates`() async throws {
        try fill()
        let log = StageLog()
        let store = store
        let results = try await StageLog.$current.withValue(log) {
            try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<2 { group.addTask { try StagedPlanTests(store).people(store.open(RegistryV3.self, plan: RegistryPlan.self)) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        #expect(results == [expected, expected])
        #expect(log.lines == ["before 2: 3", "after 2", "after 3"])
    }
}

extension StagedPlanTests {
    /// The same over another store.
    fileprivate init(_ store: MigrationFixture) { self.store = store }
}

/// Its stage asks for classes of the other version.
enum CuriousPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [RegistryV1.self, RegistryV2.self] }
    static var stages: [MigrationStage] {
        [
            .custom(fromVersion: RegistryV1.self, toVersion: RegistryV2.self) { context in
                #expect(throws: SwiftDataError.unknownSchema) { try context.fetchCount(FetchDescriptor<RegistryV2.Person>()) }
            } didMigrate: { context in
                #expect(throws: SwiftDataError.unknownSchema) { try context.fetchCount(FetchDescriptor<RegistryV1.Person>()) }
                let people = try context.fetch(FetchDescriptor<RegistryV2.Person>())
                #expect(people.allSatisfy { !$0.hasChanges })
            }
        ]
    }
}
