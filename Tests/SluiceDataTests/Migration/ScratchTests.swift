import Foundation
import SluiceData
import Testing

@Model final class KeptName {
    var number: Int
    var fullName: String

    init(number: Int, fullName: String) {
        self.number = number
        self.fullName = fullName
    }
}

/// Leads from the first version of the registry to the third in one stage: what the third has no property for goes through the scratch store.
private enum ScratchPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [RegistryV1.self, RegistryV3.self] }
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: RegistryV1.self, toVersion: RegistryV3.self,
                willMigrate: { context in
                    let scratch = try context.scratch(for: KeptName.self)
                    for person in try context.fetch(FetchDescriptor<RegistryV1.Person>()) {
                        scratch.insert(KeptName(number: person.number, fullName: person.fullName))
                    }
                },
                didMigrate: { context in
                    let scratch = try context.scratch(for: KeptName.self)
                    let names = try scratch.fetch(FetchDescriptor<KeptName>())
                    for person in try context.fetch(FetchDescriptor<RegistryV3.Person>()) {
                        person.first = names.first { $0.number == person.number }?.fullName ?? "lost"
                        person.last = "\(names.count)"
                        person.noteCount = person.notes.count
                    }
                })
        ]
    }
}

/// A plan whose first attempt fails after it has filled the scratch store.
private enum FailingScratchPlan: SchemaMigrationPlan {
    struct Refused: Error {}
    static var schemas: [any VersionedSchema.Type] { ScratchPlan.schemas }
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: RegistryV1.self, toVersion: RegistryV3.self,
                willMigrate: { context in
                    let scratch = try context.scratch(for: KeptName.self)
                    scratch.insert(KeptName(number: 1, fullName: "from an earlier attempt"))
                    try scratch.save()
                    throw Refused()
                }, didMigrate: nil)
        ]
    }
}

@Suite struct ScratchTests {
    private let store: MigrationFixture

    init() throws {
        store = try MigrationFixture()
        let context = ModelContext(try store.open(RegistryV1.Person.self, RegistryV1.Note.self))
        for (number, name) in [(1, "Ada"), (2, "Grace")] { context.insert(RegistryV1.Person(number: number, fullName: name)) }
        try context.save()
    }

    @Test func `what passes through the scratch store of a migration is there for its other half, saved or not, and no part of the store`() throws {
        #expect(throws: FailingScratchPlan.Refused.self) { try store.open(RegistryV3.self, plan: FailingScratchPlan.self) }
        // The backup that was made for it went with it.
        #expect(try store.backups.isEmpty)
        let context = ModelContext(try store.open(RegistryV3.self, plan: ScratchPlan.self))
        let people = try context.fetch(FetchDescriptor<RegistryV3.Person>(sortBy: [SortDescriptor(\.number)]))
        #expect(people.map(\.first) == ["Ada", "Grace"])
        #expect(people.map(\.last) == ["2", "2"])
        let text = try store.bytes()
        #expect(text.range(of: Data("KeptName".utf8)) == nil)
    }

    @Test func `there is no scratch store outside a migration`() throws {
        let context = ModelContext(try ModelContainer(for: KeptName.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        #expect { try context.scratch(for: KeptName.self) } throws: { SwiftDataError.invalidConfiguration ~= $0 }
    }
}
