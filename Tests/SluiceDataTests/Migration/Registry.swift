import SluiceData
import Synchronization

// A registry of people in three released versions, and plans that lead through them.

enum RegistryV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Person.self, Note.self] }

    @Model final class Person {
        @Attribute(.unique) var number: Int
        var fullName: String
        @Relationship(deleteRule: .cascade, inverse: \Note.person) var notes: [Note] = []
        init(number: Int, fullName: String) {
            self.number = number
            self.fullName = fullName
        }
    }

    @Model final class Note {
        var text: String
        var person: Person?
        init(text: String, person: Person?) {
            self.text = text
            self.person = person
        }
    }
}

enum RegistryV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Person.self, Note.self] }

    @Model final class Person {
        @Attribute(.unique) var number: Int
        var fullName: String
        var first: String = ""
        var last: String = ""
        @Relationship(deleteRule: .cascade, inverse: \Note.person) var notes: [Note] = []
        init(number: Int, fullName: String) {
            self.number = number
            self.fullName = fullName
        }
    }

    @Model final class Note {
        var text: String
        var person: Person?
        init(text: String, person: Person?) {
            self.text = text
            self.person = person
        }
    }
}

enum RegistryV3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Person.self, Note.self] }

    @Model final class Person {
        @Attribute(.unique) var number: Int
        var first: String
        var last: String
        /// Required, and without a default.
        var noteCount: Int
        @Relationship(deleteRule: .cascade, inverse: \Note.person) var notes: [Note] = []
        init(number: Int, first: String, last: String, noteCount: Int) {
            self.number = number
            self.first = first
            self.last = last
            self.noteCount = noteCount
        }
    }

    @Model final class Note {
        var text: String
        var person: Person?
        init(text: String, person: Person?) {
            self.text = text
            self.person = person
        }
    }
}

/// What the code of stages did while a test ran.
final class StageLog: Sendable {
    @TaskLocal static var current = StageLog()
    private let held = Mutex<[String]>([])
    var lines: [String] { held.withLock { $0 } }
    static func note(_ line: String) { current.held.withLock { $0.append(line) } }
}

struct StageFailure: Error {}

enum RegistryStages {
    static let split = MigrationStage.custom(
        fromVersion: RegistryV1.self, toVersion: RegistryV2.self,
        willMigrate: { context in
            let notes = try context.fetch(FetchDescriptor<RegistryV1.Note>(predicate: #Predicate { $0.text == "" }))
            notes.forEach(context.delete)
            StageLog.note("before 2: \(try context.fetchCount(FetchDescriptor<RegistryV1.Person>()))")
        },
        didMigrate: { context in
            for person in try context.fetch(FetchDescriptor<RegistryV2.Person>()) {
                let parts = person.fullName.split(separator: ", ", maxSplits: 1).map(String.init)
                (person.last, person.first) = (parts.first ?? "", parts.dropFirst().first ?? "")
            }
            try context.save()
            StageLog.note("after 2")
        })

    static let count = MigrationStage.custom(
        fromVersion: RegistryV2.self, toVersion: RegistryV3.self, willMigrate: nil,
        didMigrate: { context in
            // Not saved here: what the code leaves is saved when it returns.
            for person in try context.fetch(FetchDescriptor<RegistryV3.Person>()) { person.noteCount = person.notes.count }
            StageLog.note("after 3")
        })
}

enum RegistryPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [RegistryV1.self, RegistryV2.self, RegistryV3.self] }
    static var stages: [MigrationStage] { [RegistryStages.split, RegistryStages.count] }
}

/// Its last stage fails.
enum FailingPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { RegistryPlan.schemas }
    static var stages: [MigrationStage] {
        [
            RegistryStages.split,
            .custom(fromVersion: RegistryV2.self, toVersion: RegistryV3.self, willMigrate: nil) { context in
                try context.fetch(FetchDescriptor<RegistryV3.Person>()).forEach { $0.noteCount = 1 }
                try context.save()
                throw StageFailure()
            },
        ]
    }
}

/// Its last stage leaves a required value out.
enum ForgetfulPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { RegistryPlan.schemas }
    static var stages: [MigrationStage] {
        [
            RegistryStages.split,
            .custom(fromVersion: RegistryV2.self, toVersion: RegistryV3.self, willMigrate: nil) { context in
                let first = try context.fetch(FetchDescriptor<RegistryV3.Person>(sortBy: [SortDescriptor(\.number)])).first
                first?.noteCount = 1
            },
        ]
    }
}

/// Two versions with the same classes.
enum RepeatingPlan: SchemaMigrationPlan {
    enum Again: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 1, 0)
        static var models: [any PersistentModel.Type] { RegistryV1.models }
    }

    static var schemas: [any VersionedSchema.Type] { [RegistryV1.self, Again.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: RegistryV1.self, toVersion: Again.self)] }
}

/// A way to the second version without code, and none to the third.
enum ShortPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { RegistryPlan.schemas }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: RegistryV1.self, toVersion: RegistryV2.self)] }
}

/// A plan of an older program.
enum OldPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [RegistryV1.self, RegistryV2.self] }
    static var stages: [MigrationStage] { [.custom(fromVersion: RegistryV1.self, toVersion: RegistryV2.self, willMigrate: nil, didMigrate: nil)] }
}
