import SwiftData
import Testing

/// A stage whose second closure looks for traces of the first.
enum WitnessedPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Reminders1.self, RemindersMarked.self] }
    static var stages: [MigrationStage] {
        [
            .custom(fromVersion: Reminders1.self, toVersion: RemindersMarked.self) { context in
                context.author = "first"
                StageWitness.current.keep(context, try context.all(Reminders1.Reminder.self))
            } didMigrate: { context in
                let witness = StageWitness.current
                let (former, models) = try #require(witness.kept)
                #expect(context !== former && context.container !== former.container)
                #expect(context.author != "first" && !context.hasChanges && models.count == 2)
                for model in models {
                    let found: RemindersMarked.Reminder? = context.registeredModel(for: model.persistentModelID)
                    #expect(found == nil)
                    // Nobody takes what is changed now: the old version's context is over.
                    model.text = "late"
                }
                #expect(throws: (any Error).self) { try former.save() }
                let rows = try context.all(RemindersMarked.Reminder.self)
                #expect(rows.map(\.text).sorted() == ["bread", "milk"])
                witness.end()
            }
        ]
    }
}

/// Keeps the first closure's context and models alive while a test runs.
final class StageWitness: @unchecked Sendable {
    // Sendable: one test has it, and the closures run one after the other on that test's thread.

    @TaskLocal static var current = StageWitness()
    private(set) var kept: (context: ModelContext, models: [Reminders1.Reminder])?
    private(set) var stageCount = 0

    func keep(_ context: ModelContext, _ models: [Reminders1.Reminder]) {
        kept = (context, models)
        stageCount += 1
    }

    func end() { stageCount += 1 }
}
