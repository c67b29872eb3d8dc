import Glibc
import SluiceStore
import SwiftData

// A plan of two stages over the reminders, for tests of what happens while they run.

enum RemindersMarked: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Reminder.self] }

    @Model
    final class Reminder {
        var text: String
        var priority: Int
        var mark: String = ""

        init(text: String, priority: Int) {
            self.text = text
            self.priority = priority
        }
    }
}

enum RemindersDone: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Reminder.self] }

    @Model
    final class Reminder {
        var text: String
        var priority: Int
        var mark: String = ""
        var isDone: Bool = false

        init(text: String, priority: Int) {
            self.text = text
            self.priority = priority
        }
    }
}

enum MarkingPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Reminders1.self, RemindersMarked.self, RemindersDone.self] }
    static var stages: [MigrationStage] {
        [
            .custom(fromVersion: Reminders1.self, toVersion: RemindersMarked.self) { context in
                try context.fetch(FetchDescriptor<Reminders1.Reminder>()).forEach { $0.priority += 10 }
                try context.save()
            } didMigrate: { context in
                for reminder in try context.fetch(FetchDescriptor<RemindersMarked.Reminder>()) { reminder.mark = "\(reminder.priority)" }
                try context.save()
                StageHook.pass()
            },
            .lightweight(fromVersion: RemindersMarked.self, toVersion: RemindersDone.self),
        ]
    }
}

/// What a child process does at the end of the stage's code, after it has saved. Variables of the environment say what.
enum StageHook {
    /// To be killed there: any value.
    static let killVariable = "ARTICLE_STAGE_KILL"
    /// A file to which each run of the stage adds a line.
    static let diaryVariable = "ARTICLE_STAGE_DIARY"
    /// A store: the stage waits until another process has looked at it too, and backed it up for its own migration.
    static let rivalVariable = "ARTICLE_STAGE_RIVAL"

    static func pass() {
        if getenv(killVariable) != nil { kill(getpid(), SIGKILL) }
        if let diary = getenv(diaryVariable) {
            let file = open(diary, O_WRONLY | O_APPEND | O_CREAT, 0o600)
            _ = write(file, "\(getpid())\n", "\(getpid())\n".utf8.count)
            close(file)
        }
        if let store = getenv(rivalVariable) {
            // What cannot be listed yet is not there yet. The test's time limit ends this where nobody comes.
            while ((try? StoreBackup.all(of: String(cString: store)))?.count ?? 0) < 2 { usleep(1_000) }
        }
    }
}

extension StoreFolder {
    func markedReminders(_ name: String = "Test") throws -> [String] {
        try Self.markedReminders(configuration(name))
    }

    /// The rows of a store that went through both stages, or goes now.
    static func markedReminders(_ configuration: ModelConfiguration) throws -> [String] {
        let container = try ModelContainer(for: RemindersDone.Reminder.self, migrationPlan: MarkingPlan.self, configurations: configuration)
        let reminders = try ModelContext(container).all(RemindersDone.Reminder.self)
        return reminders.map { "\($0.text) \($0.priority) \($0.mark) \($0.isDone)" }.sorted()
    }

    /// What `markedReminders` has for the store of `makeReminders`, if each stage ran once.
    static let marked = ["bread 12 12 false", "milk 11 11 false"]
}
