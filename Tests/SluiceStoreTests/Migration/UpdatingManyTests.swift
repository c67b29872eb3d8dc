import Foundation
import SluiceSQLite
import SluiceSchema
import Testing

@testable import SluiceStore

/// Updates inside a migration whose log is written set by set: it must be the triggers' own.
@Suite struct UpdatingManyTests {
    private struct Undone: Error {}

    private let fixture: MigrationFixture

    /// A hierarchy whose table needs two words for its mask, and rows with NULLs, every kind of text and references.
    init() throws {
        fixture = try MigrationFixture()
        let entities: [Entity] = [
            Entity("Place", attributes: [Attribute("name", .string)]),
            Entity(
                "Thing",
                attributes: [
                    Attribute("text", .string, isOptional: true), Attribute("real", .double, isOptional: true),
                    Attribute("money", .decimal, isOptional: true), Attribute("bytes", .data, isOptional: true),
                ] + (0..<62).map { Attribute("n\($0)", .int64, isOptional: true) }, relationships: [Relationship("place", to: "Place")]),
            Entity("Part", superentity: "Thing", attributes: [Attribute("size", .double, isOptional: true)]),
        ]
        try fixture.open(entities) { store in
            try store.write {
                for name in ["a", "b"] { try store.put("Place", name: .text(name), RowEdit(attributes: ["name": .string(name)])) }
                for index in 0..<40 {
                    var attributes: [String: PropertyValue] = ["n0": .integer(Int64(index % 5)), "n61": .integer(Int64(index % 3))]
                    attributes["text"] = [.null, .string("x"), .string("e\u{301}"), .string("é"), .string("3")][index % 5]
                    attributes["real"] = index % 4 == 0 ? .null : .double(Double(index % 4))
                    attributes["bytes"] = index % 6 == 0 ? .data(Data([0, 1])) : .null
                    let references: [String: RecordName] = index % 3 == 0 ? [:] : ["place": .text(index % 2 == 0 ? "a" : "b")]
                    try store.put(index % 2 == 0 ? "Thing" : "Part", name: nil, RowEdit(attributes: attributes, references: references))
                }
            }
        }
    }

    // MARK: Updates

    private static let values = [
        "NULL", "t.\"n0\"", "t.\"n61\"", "t.\"text\"", "t.\"real\"", "t.\"n0\" + 1", "coalesce(t.\"text\", 'y') || char(769)", "'3'", "3",
        "3.0", "'03'", "x'0001'", "nullif(t.\"n61\", 1)", "CASE t.\"n0\" WHEN 2 THEN 'e' || char(769) ELSE t.\"text\" END",
    ]

    private static let conditions = [
        "", " WHERE t.\"n0\" > 1", " WHERE (t.\"text\" IS NULL OR t.\"n61\" = 0)", " WHERE t._entity IN ('Part')", " WHERE t._pk = -1",
    ]

    private func update(_ store: Store, _ random: inout SplitMix) throws -> ManyRowsUpdate {
        let table = try #require(store.layout.entities["Thing"]).table
        let columns = store.layout.tables[table].columns
        var chosen: [(column: Int, value: String)] = []
        for column in columns.indices.shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random)) {
            let values = columns[column].referencedTable == nil ? Self.values : ["NULL", "1", "2", "t.\"place\"", "1 + t._pk % 2"]
            chosen.append((column, values.randomElement(using: &random) ?? "NULL"))
        }
        // The columns that have values are few among the many.
        if let text = columns.firstIndex(where: { $0.name == "text" }), !chosen.contains(where: { $0.column == text }) {
            chosen.append((text, Self.values.randomElement(using: &random) ?? "NULL"))
        }
        return try self.update(store, chosen, where: Self.conditions.randomElement(using: &random) ?? "")
    }

    private func update(_ store: Store, _ chosen: [(column: Int, value: String)], where condition: String = "") throws -> ManyRowsUpdate {
        let table = try #require(store.layout.entities["Thing"]).table
        let columns = store.layout.tables[table].columns
        let assignments = chosen.flatMap { column, value in
            ["\(columns[column].sql) = \(value)"]
                + (columns[column].shadowName.map { ["\(SQLText.name($0)) = \(MigrationFunctions.shadow)(\(value))"] } ?? [])
        }
        return ManyRowsUpdate(
            table: table, changes: chosen.map { ManyRowsUpdate.Change(column: $0.column, value: .init($0.value)) },
            condition: .init(condition),
            statement: .init("UPDATE \(store.layout.tables[table].sql) AS t SET \(assignments.joined(separator: ", "))\(condition)"))
    }

    private func number(_ name: String, _ store: Store) throws -> Int {
        let thing = try #require(store.layout.entities["Thing"])
        return try #require(store.layout.table(of: thing).columns.firstIndex { $0.name == name })
    }

    /// What every table holds after `body`, which is then undone.
    private func contents(after body: (Store) throws -> Void) throws -> [[SQLiteValue]] {
        var found: [[SQLiteValue]] = []
        #expect(throws: Undone.self) {
            try StoreMigration(path: fixture.path, options: fixture.options).run { transaction in
                let store = try transaction.store()
                try store.write { try body(store) }
                let tables = try store.connection.rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name") { $0.text(0) }
                found = try tables.flatMap { table in
                    try store.connection.rows("SELECT * FROM \(SQLText.name(table))") { [.text(table)] + $0.values() }
                }
                throw Undone()
            }
        }
        return found
    }

    // MARK: Tests

    @Test(arguments: 0..<60) func `the log is the one that triggers write`(seed: UInt64) throws {
        var counts: [Int] = []
        let byTriggers = try contents { store in
            var random = SplitMix(seed: seed)
            for _ in 0..<3 {
                let update = try update(store, &random)
                counts.append(try store.connection.run(update.statement.sql, update.statement.values))
            }
        }
        var others: [Int] = []
        let together = try contents { store in
            var random = SplitMix(seed: seed)
            for _ in 0..<3 {
                let update = try update(store, &random)
                #expect(try store.logsTogether(update))
                others.append(try store.updateMany(update))
            }
        }
        #expect(others == counts)
        #expect(together.count == byTriggers.count)
        for (found, wanted) in zip(together, byTriggers) where found != wanted {
            Issue.record("seed \(seed): \(found) instead of \(wanted)")
            return
        }
    }

    @Test func `outside migrations the triggers write the log`() throws {
        try fixture.open { store in
            let update = try update(store, [(number("n0", store), "9")])
            #expect(try !store.logsTogether(update))
            let last = try store.lastChange()
            #expect(try store.write { try store.updateMany(update) } == 40)
            #expect(try store.lastChange() == last + 40)
        }
    }

    @Test func `a person's trigger hears of the update, and what it changes is logged`() throws {
        try fixture.open { store in
            try store.connection.execute(
                "CREATE TRIGGER mine AFTER UPDATE OF n0 ON Thing WHEN NEW._pk = 1 BEGIN UPDATE Place SET name = name || '!'; END")
        }
        try StoreMigration(path: fixture.path, options: fixture.options).run { transaction in
            let store = try transaction.store()
            let last = try store.lastChange()
            let changed = try store.write { try store.updateMany(update(store, [(number("n0", store), "9")])) }
            #expect(changed == 40)
            #expect(try store.lastChange() == last + 42)
            #expect(try store.connection.integer("SELECT count(*) FROM Place WHERE name GLOB '*!'") == 2)
        }
    }

    @Test func `a foreign key of a person's that follows a column is followed with its triggers`() throws {
        try fixture.open { store in
            try store.connection.execute(
                """
                UPDATE Thing SET n1 = _pk; CREATE UNIQUE INDEX mine_key ON Thing(n1);
                CREATE TABLE mine (thing INTEGER REFERENCES Thing(n1) ON UPDATE CASCADE); INSERT INTO mine VALUES (1);
                CREATE TABLE heard (thing INTEGER);
                CREATE TRIGGER mine_heard AFTER UPDATE ON mine BEGIN INSERT INTO heard VALUES (NEW.thing); END
                """)
        }
        try StoreMigration(path: fixture.path, options: fixture.options).run { transaction in
            let store = try transaction.store()
            let (key, other) = try (update(store, [(number("n1", store), "-t._pk")]), update(store, [(number("n2", store), "1")]))
            #expect(try !store.logsTogether(key) && store.logsTogether(other))
            _ = try store.write { try store.updateMany(key) }
            #expect(try store.connection.integer("SELECT thing FROM heard") == -1)
        }
    }

    @Test func `a reference that leads nowhere ends the migration, and nothing stays of it`() throws {
        let last = try fixture.count("SELECT max(seq) FROM _sluice_change")
        let error = #expect(throws: SQLiteError.self) {
            try StoreMigration(path: fixture.path, options: fixture.options).run { transaction in
                let store = try transaction.store()
                _ = try store.write { try store.updateMany(update(store, [(number("place", store), "77")])) }
            }
        }
        #expect(error?.code.primary == .constraint)
        #expect(try fixture.count("SELECT max(seq) FROM _sluice_change") == last)
        #expect(try fixture.count("SELECT count(*) FROM Thing WHERE place = 77") == 0)
    }

    @Test func `a stage's edits log what triggers would`() throws {
        let edits = [
            StageEdit(
                "Thing", where: "n0 > 0",
                .set([.init("text", "coalesce(text, 'y') || char(769)"), .init("n61", "n0"), .init("real", "3")])),
            StageEdit("Part", .set([.init("size", "real * 2"), .init("place", "(SELECT min(_pk) FROM Place)")])),
        ]
        let together = try contents { store in try StageRun(edits, .after, on: store).run() }
        let byTriggers = try contents { store in
            // One more trigger, and nothing is logged together.
            try store.connection.execute("CREATE TRIGGER mine AFTER UPDATE ON Thing BEGIN SELECT 1; END")
            try StageRun(edits, .after, on: store).run()
        }
        #expect(together == byTriggers)
        #expect(together.contains { $0[0] == .text("_sluice_change") && $0.contains(.integer(ChangeOrigin.migration.rawValue)) })
    }
}
