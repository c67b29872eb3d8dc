import SwiftData

// One class as several releases had it: what lightweight migration can follow and what it cannot.

enum Reminders1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Reminder.self] }

    @Model
    final class Reminder {
        var text: String
        var priority: Int

        init(text: String, priority: Int) {
            self.text = text
            self.priority = priority
        }
    }
}

/// A property that existing rows have no value for.
enum RemindersWithOwner {
    @Model
    final class Reminder {
        var text: String
        var priority: Int
        var owner: String

        init(text: String, priority: Int, owner: String) {
            self.text = text
            self.priority = priority
            self.owner = owner
        }
    }
}

/// A property of another type.
enum RemindersWithWords {
    @Model
    final class Reminder {
        var text: String
        var priority: String

        init(text: String, priority: String) {
            self.text = text
            self.priority = priority
        }
    }
}

/// The first release's shape, written down later.
enum RemindersRetold: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Reminder.self] }

    @Model
    final class Reminder {
        var text: String
        var priority: Int

        init(text: String, priority: Int) {
            self.text = text
            self.priority = priority
        }
    }
}

/// The same from memory, and wrong: the priority was never optional.
enum RemindersMisremembered: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Reminder.self] }

    @Model
    final class Reminder {
        var text: String
        var priority: Int?

        init(text: String, priority: Int?) {
            self.text = text
            self.priority = priority
        }
    }
}

enum RetoldPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [RemindersRetold.self] }
    static var stages: [MigrationStage] { [] }
}

enum MisrememberedPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [RemindersMisremembered.self] }
    static var stages: [MigrationStage] { [] }
}

/// The priority in a class of its own.
enum RemindersSplit {
    @Model
    final class Reminder {
        var text: String

        init(text: String) { self.text = text }
    }

    @Model
    final class Urgency {
        var priority: Int

        init(priority: Int) { self.priority = priority }
    }
}

/// The two as one, with a default so that only the merge is in the way.
enum RemindersMerged {
    @Model
    final class Reminder {
        var text: String
        var priority: Int = 0

        init(text: String) { self.text = text }
    }
}

/// No two of one text, which rows may contradict.
enum RemindersOnce: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Reminder.self] }

    @Model
    final class Reminder {
        @Attribute(.unique) var text: String
        var priority: Int

        init(text: String, priority: Int) {
            self.text = text
            self.priority = priority
        }
    }
}

/// Removes what stands twice before it may not.
enum OncePlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Reminders1.self, RemindersOnce.self] }
    static var stages: [MigrationStage] {
        [
            .custom(fromVersion: Reminders1.self, toVersion: RemindersOnce.self) { context in
                var seen: Set<String> = []
                for reminder in try context.fetch(FetchDescriptor<Reminders1.Reminder>(sortBy: [SortDescriptor(\.priority)])) {
                    if !seen.insert(reminder.text).inserted { context.delete(reminder) }
                }
                try context.save()
            } didMigrate: { _ in }
        ]
    }
}

extension StoreFolder {
    /// A store of the first release with two rows, closed.
    func makeReminders(_ name: String = "Test") throws {
        let context = ModelContext(try ModelContainer(for: Reminders1.Reminder.self, configurations: configuration(name)))
        context.insert(Reminders1.Reminder(text: "milk", priority: 1))
        context.insert(Reminders1.Reminder(text: "bread", priority: 2))
        try context.save()
    }
}
