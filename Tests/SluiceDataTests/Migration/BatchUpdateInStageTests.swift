import Foundation
import SluiceData
import SluiceSQLite
import Testing

/// Batch updates in the code of a stage, which log what they change as a set.
@Suite(.timeLimit(.minutes(10))) struct BatchUpdateInStageTests {
    /// What a program with the first version left.
    private func filled() throws -> MigrationFixture {
        let store = try MigrationFixture()
        let context = ModelContext(try store.open(TallyV1.Entry.self))
        for number in 1...6 { context.insert(TallyV1.Entry(number: 10 - number, name: number.isMultiple(of: 2) ? "\u{E9}" : "plain")) }
        try context.save()
        return store
    }

    private struct Logged: Equatable {
        var entries: [[SQLiteValue]]
        var olds: [[SQLiteValue]]
        var rows: [[SQLiteValue]]
    }

    /// What the stage logged and left.
    private func migrated(_ store: MigrationFixture) throws -> Logged {
        _ = try store.open(TallyV2.self, plan: TallyPlan.self)
        let connection = try Connection(path: store.url.path, mode: .readOnly)
        func rows(_ sql: String) throws -> [[SQLiteValue]] { try connection.rows(sql) { row in (0..<row.columnCount).map { row.value($0) } } }
        return Logged(
            entries: try rows("SELECT * FROM _sluice_change ORDER BY seq"), olds: try rows("SELECT * FROM _sluice_old_1 ORDER BY seq"),
            rows: try rows("SELECT number, name, _nfc_name, stock, label, _nfc_label FROM Entry ORDER BY _pk"))
    }

    @Test func `a batch update in a stage logs what triggers would`() throws {
        let (together, byTriggers) = (try filled(), try filled())
        // One more trigger, and nothing is logged together.
        try Connection(path: byTriggers.url.path, mode: .readWrite).execute("CREATE TRIGGER mine AFTER DELETE ON Entry BEGIN SELECT 1; END")
        let found = try migrated(together)
        #expect(try found == migrated(byTriggers))
        #expect(found.entries.count == 6 + 4 + 5 + 6 + 5)
        #expect(found.olds.count == 4 + 5 + 6 + 5)
    }

    @Test func `an update that a unique value forbids ends the migration`() throws {
        let store = try filled()
        try store.refuses(.modelValidationFailure) { try store.open(TallyV2.self, plan: CollidingPlan.self) }
    }
}

enum TallyV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Entry.self] }

    @Model final class Entry {
        @Attribute(.unique) var number: Int
        var name: String
        init(number: Int, name: String) {
            self.number = number
            self.name = name
        }
    }
}

enum TallyV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Entry.self] }

    @Model final class Entry {
        @Attribute(.unique) var number: Int
        var name: String
        var stock: Int = 3
        var label: String = ""
        init(number: Int, name: String) {
            self.number = number
            self.name = name
        }
    }
}

enum TallyPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [TallyV1.self, TallyV2.self] }
    static var stages: [MigrationStage] {
        [
            .custom(fromVersion: TallyV1.self, toVersion: TallyV2.self, willMigrate: nil) { context in
                try context.update(TallyV2.Entry.self, where: #Predicate { $0.number > 5 }, set: .set(\.stock, to: #Expression { $0.number }))
                try context.update(
                    TallyV2.Entry.self, where: #Predicate { $0.number < 9 }, set: .set(\.stock, to: 3), .set(\.name, to: "e\u{301}"))
                try context.update(TallyV2.Entry.self, set: .set(\.label, to: "e\u{301}"))
                // One row has it already.
                try context.update(TallyV2.Entry.self, set: .set(\.stock, to: 9))
            }
        ]
    }
}

enum CollidingPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [TallyV1.self, TallyV2.self] }
    static var stages: [MigrationStage] {
        [
            .custom(fromVersion: TallyV1.self, toVersion: TallyV2.self, willMigrate: nil) { context in
                try context.update(TallyV2.Entry.self, set: .set(\.number, to: 1))
            }
        ]
    }
}
