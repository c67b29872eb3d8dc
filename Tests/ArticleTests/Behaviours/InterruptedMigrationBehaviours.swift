import SluiceStore
import SwiftData
import Testing

/// Behaviours 64, 69 and 71: migrations that are killed, that two processes want, and that others see.
@Suite(.timeLimit(.minutes(10))) struct InterruptedMigrationBehaviours {
    private func properties(_ folder: StoreFolder) throws -> [String]? {
        try Store.schema(at: folder.file().path)?.entity(named: "Reminder")?.attributes.map(\.name).sorted()
    }

    /// Opens the store with the plan in a process of its own that is killed on the way.
    private func die(_ folder: StoreFolder, _ variable: String, _ value: String) async {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = folder.file().path as String, variable = variable as String, value = value as String] in
            setenv(variable, value, 1)
            _ = try StoreFolder.markedReminders(ModelConfiguration(url: URL(filePath: path)))
        }
    }

    private static let pointsBeforeTheCommit = ["migrationBegun:1", "migrationStepped:1", "migrationStepped:2", "committing:1"]

    @Test(.enabled(if: BuildKind.failsOnDemand), arguments: pointsBeforeTheCommit)
    func `behaviour 64: a kill in the middle of a migration leaves the old store, and the next opening ends it`(point: String) async throws {
        let folder = try StoreFolder()
        try folder.makeReminders()
        await die(folder, "SLUICE_FAILPOINT", point)
        #expect(try properties(folder) == ["priority", "text"])
        #expect(try folder.markedReminders() == StoreFolder.marked)
    }

    @Test func `behaviour 64: a kill in a stage's code, after it has saved, leaves the old store too`() async throws {
        let folder = try StoreFolder()
        try folder.makeReminders()
        for _ in 0..<2 {
            await die(folder, StageHook.killVariable, "1")
            #expect(try properties(folder) == ["priority", "text"])
        }
        do {
            let container = try ModelContainer(for: Reminders1.Reminder.self, configurations: folder.configuration())
            #expect(try ModelContext(container).all(Reminders1.Reminder.self).map(\.priority).sorted() == [1, 2])
        }
        #expect(try folder.markedReminders() == StoreFolder.marked)
    }

    @Test(.enabled(if: BuildKind.failsOnDemand))
    func `behaviour 64: a kill right after the commit leaves the new store, and no stage runs again`() async throws {
        let folder = try StoreFolder()
        try folder.makeReminders()
        await die(folder, "SLUICE_FAILPOINT", "committed:1")
        #expect(try properties(folder) == ["isDone", "mark", "priority", "text"])
        #expect(try folder.markedReminders() == StoreFolder.marked)
    }

    @Test func `behaviour 69: of two processes that open an old store at once one migrates, and the other waits for it`() async throws {
        let folder = try StoreFolder()
        try folder.makeReminders()
        let diary = folder.url.appending(path: "diary").path
        // Whichever has the write lock stands in its stage until the other has found the old store as well.
        let variables = [StageHook.diaryVariable: diary, StageHook.rivalVariable: folder.file().path]
        async let first: Void = migrate(folder, variables)
        async let second: Void = migrate(folder, variables)
        _ = await (first, second)
        #expect(try String(contentsOfFile: diary, encoding: .utf8).split(separator: "\n").count == 1)
        #expect(try folder.markedReminders() == StoreFolder.marked)
    }

    private func migrate(_ folder: StoreFolder, _ variables: [String: String]) async {
        await #expect(processExitsWith: .success) {
            [path = folder.file().path as String, variables = variables as [String: String]] in
            for (name, value) in variables { setenv(name, value, 1) }
            let found = try StoreFolder.markedReminders(ModelConfiguration(url: URL(filePath: path)))
            #expect(found == StoreFolder.marked)
        }
    }

    @Test func `behaviour 71: who observes history from before a migration hears of its transactions`() async throws {
        let folder = try StoreFolder()
        try folder.makeReminders()
        let token: DefaultHistoryToken
        let store: String
        do {
            let container = try ModelContainer(for: Reminders1.Reminder.self, configurations: folder.configuration())
            let last = try #require(try ModelContext(container).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
            (token, store) = (last.token, last.storeIdentifier)
        }
        let container = try ModelContainer(
            for: RemindersDone.Reminder.self, migrationPlan: MarkingPlan.self, configurations: folder.configuration())
        let all = try HistoryObserver(historyTokens: [store: token], modelContainer: container)
        let reminders = try HistoryObserver(
            historyTokens: [store: token], observedModels: [RemindersDone.Reminder.self], authors: ["migration"], modelContainer: container)
        #expect(all.eventCounter > 0 && reminders.eventCounter > 0 && reminders.eventCounter <= all.eventCounter)
        #expect(try HistoryObserver(historyTokens: [store: token], authors: ["app"], modelContainer: container).eventCounter == 0)
        let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
        let changed = try ModelContext(container).fetchHistory(descriptor).flatMap(\.changes).compactMap { change in
            if case .update(let update) = change { update.changedPersistentIdentifier } else { nil }
        }
        #expect(try Set(changed) == Set(ModelContext(container).all(RemindersDone.Reminder.self).map(\.persistentModelID)))
    }
}
