import SwiftData
import Testing

/// Behaviours 23 to 37, as far as they need no migration to run: what a store refuses, how it says so, and that it is left alone.
@Suite struct MigrationBehaviours {
    /// Opens the first release's store as something else, and returns what was said once it is sure that no byte changed.
    private func refusal(_ folder: StoreFolder, opening: (ModelConfiguration) throws -> ModelContainer) throws -> String {
        try folder.makeReminders()
        let before = try folder.digests()
        let error = #expect(throws: SwiftDataError.self) { _ = try opening(folder.configuration()) }
        #expect(try folder.digests() == before)
        let context = ModelContext(try ModelContainer(for: Reminders1.Reminder.self, configurations: folder.configuration()))
        #expect(try context.all(Reminders1.Reminder.self).map(\.text).sorted() == ["bread", "milk"])
        return error?.localizedDescription ?? ""
    }

    @Test func `behaviour 33: a property that old rows have no value for is refused`() throws {
        let text = try refusal(StoreFolder()) { try ModelContainer(for: RemindersWithOwner.Reminder.self, configurations: $0) }
        #expect(text.contains("Reminder.owner"), "\(text)")
    }

    @Test func `behaviour 34: a property of another type is refused`() throws {
        let text = try refusal(StoreFolder()) { try ModelContainer(for: RemindersWithWords.Reminder.self, configurations: $0) }
        #expect(text.contains("Reminder.priority"), "\(text)")
    }

    @Test func `behaviour 37: a refusal names the mismatch and leaves the file as it was, its log included`() throws {
        let folder = try StoreFolder()
        let container = try ModelContainer(for: Reminders1.Reminder.self, configurations: folder.configuration("Live"))
        let context = ModelContext(container)
        context.insert(Reminders1.Reminder(text: "milk", priority: 1))
        try context.save()
        // As a program that is killed leaves it: the rows are in the log only.
        try folder.copy("Live", to: "Killed")
        let before = try folder.digests()
        let error = #expect(throws: SwiftDataError.self) {
            _ = try ModelContainer(for: RemindersWithWords.Reminder.self, configurations: folder.configuration("Killed"))
        }
        #expect(error?.localizedDescription.contains("Reminder.priority") == true)
        #expect(try folder.digests() == before)
        let again = try ModelContainer(for: Reminders1.Reminder.self, configurations: folder.configuration("Killed"))
        #expect(try ModelContext(again).count(Reminders1.Reminder.self) == 1)
    }
}
