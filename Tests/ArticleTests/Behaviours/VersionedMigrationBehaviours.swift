import SluiceSchema
import SluiceStore
import SwiftData
import Testing

/// Behaviours 38 to 65, where no suite of migrations has them.
@Suite struct VersionedMigrationBehaviours {
    private typealias ModelSchema = SwiftData.Schema

    @Test func `behaviour 38: a versioned schema is models and three numbers`() throws {
        let schema = ModelSchema(versionedSchema: Reminders1.self)
        #expect(schema.version == ModelSchema.Version(1, 0, 0))
        #expect(schema.entities.map(\.name) == ["Reminder"])
        #expect(ModelSchema.Version(1, 2, 3) < ModelSchema.Version(1, 10, 0))
    }

    @Test func `behaviour 39: versions may hold the same class name side by side`() throws {
        let first = ModelSchema(versionedSchema: Reminders1.self)
        let second = ModelSchema(versionedSchema: RemindersMisremembered.self)
        #expect(first.entities.map(\.name) == second.entities.map(\.name))
        #expect(first.entity(for: Reminders1.Reminder.self)?.attributesByName["priority"]?.isOptional == false)
        #expect(second.entity(for: RemindersMisremembered.Reminder.self)?.attributesByName["priority"]?.isOptional == true)
        let contexts = try (
            ModelContext(.inMemory(Reminders1.Reminder.self)), ModelContext(.inMemory(RemindersMisremembered.Reminder.self))
        )
        contexts.0.insert(Reminders1.Reminder(text: "milk", priority: 1))
        contexts.1.insert(RemindersMisremembered.Reminder(text: "milk", priority: nil))
        try contexts.0.save()
        try contexts.1.save()
        #expect(try contexts.0.all(Reminders1.Reminder.self).first?.priority == 1)
        #expect(try contexts.1.all(RemindersMisremembered.Reminder.self).first?.priority == nil)
    }

    @Test func `behaviour 41: a store from before any version is the version that has its shape`() throws {
        let folder = try StoreFolder()
        try folder.makeReminders()
        let container = try ModelContainer(
            for: RemindersRetold.Reminder.self, migrationPlan: RetoldPlan.self, configurations: folder.configuration())
        #expect(try ModelContext(container).all(RemindersRetold.Reminder.self).map(\.text).sorted() == ["bread", "milk"])
    }

    @Test func `behaviour 42: it is not that version when the shape differs, and nothing happens to it`() throws {
        let folder = try StoreFolder()
        try folder.makeReminders()
        let before = try folder.digests()
        let error = #expect(throws: SwiftDataError.self) {
            _ = try ModelContainer(
                for: RemindersMisremembered.Reminder.self, migrationPlan: MisrememberedPlan.self, configurations: folder.configuration())
        }
        #expect(error?.localizedDescription.contains("Reminder.priority") == true)
        #expect(try folder.digests() == before)
    }

    @Test func `behaviour 54: a plan may have one version and no stage`() throws {
        let folder = try StoreFolder()
        for round in 1...2 {
            let container = try ModelContainer(
                for: Note.self, migrationPlan: NotesMigrationPlan.self, configurations: folder.configuration())
            #expect(container.migrationPlan == NotesMigrationPlan.self)
            let context = ModelContext(container)
            context.insert(Note(title: "round \(round)"))
            try context.save()
            #expect(try context.count(Note.self) == round)
        }
        // The version's name is written down with the shape.
        #expect(try Store.schema(at: folder.file().path)?.version == SchemaVersion(1, 0, 0))
    }

    @Test func `behaviour 55: while there is one version no plan is needed`() throws {
        let folder = try StoreFolder()
        try folder.makeReminders()
        let container = try ModelContainer(for: Reminders1.Reminder.self, configurations: folder.configuration())
        #expect(container.migrationPlan == nil)
        #expect(try ModelContext(container).count(Reminders1.Reminder.self) == 2)
    }

    @Test func `behaviour 60: versions, stages and plans are declared as ever`() {
        #expect(NotesMigrationPlan.schemas.count == 1 && NotesMigrationPlan.stages.isEmpty)
        let stages: [MigrationStage] = [
            .lightweight(fromVersion: Reminders1.self, toVersion: RemindersMisremembered.self),
            .custom(fromVersion: Reminders1.self, toVersion: RemindersMisremembered.self, willMigrate: nil, didMigrate: nil),
            MigrationStage.custom(
                fromVersion: Reminders1.self, toVersion: RemindersMisremembered.self, willMigrate: { context in try context.save() },
                didMigrate: { context in try context.save() }),
        ]
        // Two cases and no more: a third would not compile here.
        let kinds = stages.map { stage in
            switch stage {
            case .lightweight: "lightweight"
            case .custom(_, _, let before, let after): "custom \(before == nil) \(after == nil)"
            }
        }
        #expect(kinds == ["lightweight", "custom true true", "custom false false"])
    }

    @Test func `behaviour 62: a copy of a store opens like the store`() throws {
        let folder = try StoreFolder()
        try folder.makeReminders("Original")
        try folder.copy("Original", to: "Copy")
        let context = ModelContext(try ModelContainer(for: Reminders1.Reminder.self, configurations: folder.configuration("Copy")))
        #expect(try context.all(Reminders1.Reminder.self).map(\.text).sorted() == ["bread", "milk"])
        context.insert(Reminders1.Reminder(text: "soap", priority: 3))
        try context.save()
        let original = ModelContext(try ModelContainer(for: Reminders1.Reminder.self, configurations: folder.configuration("Original")))
        #expect(try original.count(Reminders1.Reminder.self) == 2)
    }

    @Test func `behaviour 47: the contexts of a stage share nothing`() throws {
        let folder = try StoreFolder()
        try folder.makeReminders()
        let witness = StageWitness()
        try StageWitness.$current.withValue(witness) {
            let container = try ModelContainer(
                for: RemindersMarked.Reminder.self, migrationPlan: WitnessedPlan.self, configurations: folder.configuration())
            #expect(witness.stageCount == 2)
            let context = ModelContext(container)
            #expect(context.author == nil && context.insertedModelsArray.isEmpty && !context.hasChanges)
            #expect(try context.all(RemindersMarked.Reminder.self).map { "\($0.text) \($0.mark)" }.sorted() == ["bread ", "milk "])
        }
    }

    @Test(.enabled(if: BuildKind.failsOnDemand), arguments: 3...6)
    func `behaviour 64: a kill in the middle of an ordinary write leaves whole saves and a store that opens`(commit: Int) async throws {
        let folder = try StoreFolder()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.file().path as String, commit = commit as Int] in
            // Dies at that COMMIT, before it is done.
            setenv("SLUICE_FAILPOINT", "committing:\(commit)", 1)
            let configuration = ModelConfiguration(url: URL(filePath: path))
            let context = ModelContext(try ModelContainer(for: Reminders1.Reminder.self, configurations: configuration))
            for save in 0..<20 {
                for number in 0..<10 { context.insert(Reminders1.Reminder(text: "\(save)", priority: number)) }
                try context.save()
            }
        }
        let context = ModelContext(try ModelContainer(for: Reminders1.Reminder.self, configurations: folder.configuration()))
        let count = try context.count(Reminders1.Reminder.self)
        #expect(count.isMultiple(of: 10) && count < 200)
        context.insert(Reminders1.Reminder(text: "after", priority: 0))
        try context.save()
        #expect(try ModelContext(context.container).count(Reminders1.Reminder.self) == count + 1)
    }
}
