import SwiftData
import Testing

/// Behaviours 33 to 37: what a store refuses, how it says so, and that it is left alone.
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

    @Test func `behaviour 35: a class that would have to be split is refused`() throws {
        let text = try refusal(StoreFolder()) {
            try ModelContainer(for: RemindersSplit.Reminder.self, RemindersSplit.Urgency.self, configurations: $0)
        }
        for word in ["Reminder", "Urgency", "custom stage"] { #expect(text.contains(word), "\(text)") }
    }

    @Test func `behaviour 35: classes that would have to be merged are refused`() throws {
        let folder = try StoreFolder()
        func open() throws -> ModelContext {
            ModelContext(
                try ModelContainer(for: RemindersSplit.Reminder.self, RemindersSplit.Urgency.self, configurations: folder.configuration()))
        }
        do {
            let context = try open()
            context.insert(RemindersSplit.Reminder(text: "milk"))
            context.insert(RemindersSplit.Urgency(priority: 3))
            try context.save()
        }
        let before = try folder.digests()
        let error = #expect(throws: SwiftDataError.self) {
            _ = try ModelContainer(for: RemindersMerged.Reminder.self, configurations: folder.configuration())
        }
        for word in ["Reminder", "Urgency", "custom stage"] {
            #expect(error?.localizedDescription.contains(word) == true, "\(error as Any)")
        }
        #expect(try folder.digests() == before)
        let context = try open()
        #expect(try context.all(RemindersSplit.Reminder.self).map(\.text) == ["milk"])
        #expect(try context.all(RemindersSplit.Urgency.self).map(\.priority) == [3])
    }

    @Test func `behaviour 36: what the rows need code for is refused without it, and done with it`() throws {
        let folder = try StoreFolder()
        try folder.makeReminders()
        do {
            let context = ModelContext(try ModelContainer(for: Reminders1.Reminder.self, configurations: folder.configuration()))
            context.insert(Reminders1.Reminder(text: "milk", priority: 7))
            try context.save()
        }
        let before = try folder.digests()
        let error = #expect(throws: SwiftDataError.self) {
            _ = try ModelContainer(for: RemindersOnce.Reminder.self, configurations: folder.configuration())
        }
        for word in ["Reminder", "text", "custom stage"] { #expect(error?.localizedDescription.contains(word) == true, "\(error as Any)") }
        #expect(try folder.digests() == before)
        let container = try ModelContainer(
            for: RemindersOnce.Reminder.self, migrationPlan: OncePlan.self, configurations: folder.configuration())
        let reminders = try ModelContext(container).all(RemindersOnce.Reminder.self)
        #expect(Set(reminders.map { "\($0.text) \($0.priority)" }) == ["milk 1", "bread 2"])
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
