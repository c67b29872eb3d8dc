import Foundation
import SluiceSQLite
import SluiceSchema
import Testing

@testable import SluiceStore

/// Three steps, one of them with code, that fail wherever they can: the store is the old one or the new one, and nothing between.
@Suite struct FailedMigrationTests {
    /// 300 rows in two tables, related, with edits that wait to be sent.
    private static func prepare(_ fixture: MigrationFixture) throws {
        try fixture.open(Person.one) { store in
            try store.write {
                for index in 0..<20 {
                    try store.put("Team", name: RecordName("t\(index)"), RowEdit(attributes: ["label": .string("team \(index)")]))
                }
                for index in 0..<280 {
                    try store.put(
                        "Person", name: RecordName("p\(index)"),
                        RowEdit(attributes: ["name": .string("Last \(index), First")], references: ["team": RecordName("t\(index % 20)")]))
                }
            }
            try store.drainChanges()
            try store.write {
                for index in 0..<50 { try store.put("Person", name: RecordName("p\(index)"), RowEdit(attributes: ["age": .integer(3)])) }
            }
        }
    }

    @Test(arguments: [
        ("migrationBegun:1", false), ("migrationStepped:1", false), ("migrationStepped:2", false), ("migrationStepped:3", false),
        ("committing:1", false), ("committed:1", true),
    ])
    func `a process killed in a migration leaves the whole old store or the whole new one`(point: String, isNew: Bool) async throws {
        let fixture = try MigrationFixture()
        try Self.prepare(fixture)
        let before = try fixture.digest()
        let expected = try Self.migratedDigest()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = fixture.path as String, point = point as String] in
            setenv("SLUICE_FAILPOINT", point, 1)
            try Person.migrate(path, clock: StoreFixture.TestClock())
        }
        #expect(try fixture.digest() == (isNew ? expected : before))
        #expect(try Connection(path: fixture.path, mode: .readWrite).integrityFaults().isEmpty)
        if !isNew { try Person.migrate(fixture.path, clock: fixture.clock) }
        #expect(try fixture.digest() == expected)
        try fixture.checkSoundness()
    }

    private static func migratedDigest() throws -> [String] {
        let fixture = try MigrationFixture()
        try prepare(fixture)
        try Person.migrate(fixture.path, clock: fixture.clock)
        return try fixture.digest()
    }

    @Test(arguments: ["full", "write", "sync"])
    func `a disk that fails at any write or sync leaves the whole old store, and the next attempt completes`(kind: String) async throws {
        let fixture = try MigrationFixture()
        try Self.prepare(fixture)
        let (before, expected) = (try fixture.digest(), try Self.migratedDigest())
        let lines = (before + ["=="] + expected).joined(separator: "\u{1F}")
        await #expect(processExitsWith: .success) { [path = fixture.path as String, kind = kind as String, lines = lines as String] in
            setenv("SLUICE_DISK_FAULT", "full:1000000000", 1)
            let parts = lines.split(separator: "\u{1F}").split(separator: "==").map { $0.map(String.init) }
            try DiskTrial(path: path, before: parts[0], after: parts[1]).run(kind)
        }
        #expect(try fixture.digest() == expected)
        try fixture.checkSoundness()
    }

    @Test func `a migration that finds the disk full says how much room it needs: twice what it writes anew`() throws {
        let fixture = try MigrationFixture()
        let text = PropertyValue.string(String(repeating: "x", count: 1_000))
        let notes = [Entity("Note", attributes: [Attribute("text", .string), Attribute("count", .int16, isOptional: true)])]
        let others = [Entity("Other", attributes: [Attribute("text", .string)])]
        try fixture.open(notes + others) { store in
            try store.write {
                for index in 0..<3_000 { _ = try store.put("Note", name: .text("n\(index)"), RowEdit(attributes: ["text": text])) }
                for index in 0..<9_000 { _ = try store.put("Other", name: .text("o\(index)"), RowEdit(attributes: ["text": text])) }
            }
        }
        var space = MigrationSpace()
        let retyped = [Entity("Note", attributes: [Attribute("text", .string), Attribute("count", .int16, defaultValue: .integer(0))])]
        let change = try SchemaChange(
            from: #require(try Store.schema(at: fixture.path)), to: Schema(name: "test", version: SchemaVersion(2, 0, 0), validating: retyped + others),
            kind: .lightweight())
        space.note(change)
        let needed = try space.byteCount(Connection(path: fixture.path, mode: .readWrite))
        // 3,000 rows of a kilobyte are written once; those of the other table are not.
        #expect(needed > 6_000_000 && needed < 12_000_000)
    }

    @Test func `a stage that throws rolls back the stages before it`() throws {
        struct Failure: Error {}
        let fixture = try MigrationFixture()
        try Self.prepare(fixture)
        let before = try fixture.digest()
        #expect(throws: Failure.self) {
            try Person.migrate(fixture.path, clock: fixture.clock) { throw Failure() }
        }
        #expect(try fixture.digest() == before)
        try fixture.checkSoundness()
    }
}

/// Migrates again and again, each time on a disk that fails one write later, until nothing fails any more.
private struct DiskTrial {
    let path: String
    let before: [String]
    let after: [String]

    struct Mixture: Error { let point: Int }

    func run(_ kind: String) throws {
        #if DEBUG
            for point in 1... {
                DiskFault.arm("\(kind):\(point)")
                var isDone = true
                do { try Person.migrate(path, clock: StoreFixture.TestClock()) } catch let error as SQLiteError {
                    isDone = false
                    let says = error.description
                    guard kind != "full" || says.hasPrefix(path) && says.contains("as it was") && says.contains(" 1 MiB") else { throw error }
                }
                DiskFault.arm("\(kind):1000000000")
                let connection = try Connection(path: path, mode: .readWrite)
                let found = try MigrationFixture.digest(connection)
                guard found == (isDone ? after : before), try connection.integrityFaults().isEmpty else { throw Mixture(point: point) }
                if isDone {
                    // A trial in which nothing ever failed shows nothing.
                    guard point > 1 else { throw Mixture(point: point) }
                    return
                }
            }
        #endif
    }
}

/// The schemas of three steps.
enum Person {
    private static func team(_ relationship: Relationship) -> Entity {
        Entity("Team", attributes: [Attribute("label", .string)], relationships: [relationship])
    }

    static let one = [
        Entity(
            "Person", attributes: [Attribute("name", .string), Attribute("age", .int16, isOptional: true)],
            relationships: [Relationship("team", to: "Team")]),
        Entity("Team", attributes: [Attribute("label", .string)]),
    ]
    static let two = [
        Entity(
            "Person",
            attributes: [
                Attribute("active", .boolean, defaultValue: .boolean(true)), Attribute("name", .string),
                Attribute("years", .int64, isOptional: true, wireName: "age"),
            ],
            relationships: [Relationship("team", to: "Team", inverse: "people")]),
        team(Relationship("people", to: "Person", isToMany: true, inverse: "team")),
    ]
    static let three = [
        Entity(
            "Person",
            attributes: [
                Attribute("active", .boolean, defaultValue: .boolean(true)), Attribute("name", .string),
                Attribute("years", .int64, isOptional: true),
                Attribute("first", .string), Attribute("last", .string),
            ], relationships: [Relationship("team", to: "Team", inverse: "people")], indices: [["last"]]),
        team(Relationship("people", to: "Person", isToMany: true, inverse: "team")),
    ]
    static let four = [
        Entity(
            "Person",
            attributes: [
                Attribute("active", .boolean, defaultValue: .boolean(true)), Attribute("years", .int64, isOptional: true),
                Attribute("first", .string), Attribute("last", .string),
            ], relationships: [Relationship("teams", to: "Team", isToMany: true, inverse: "people", wireName: "team")],
            indices: [["last"]]),
        team(Relationship("people", to: "Person", isToMany: true, inverse: "teams")),
    ]

    /// One plan from the first to the last.
    static func migrate(_ path: String, clock: StoreFixture.TestClock, atEnd: () throws -> Void = {}) throws {
        func schema(_ major: Int, _ entities: [Entity]) throws -> Schema {
            try Schema(name: "test", version: SchemaVersion(major, 0, 0), validating: entities)
        }
        try StoreMigration(path: path, options: MigrationFixture.options(clock)).run { transaction in
            try transaction.advance(by: SchemaChange(from: transaction.schema, to: schema(2, two), kind: .lightweight()))
            try transaction.advance(by: SchemaChange(from: transaction.schema, to: schema(3, three), kind: .custom))
            let store = try transaction.store()
            var names: [(RecordName, [Substring])] = []
            try store.forEachRow(of: #require(store.layout.entities["Person"])) { row in
                if case .string(let text)? = row.attributes["name"] { names.append((row.name, text.split(separator: ", "))) }
            }
            try store.write {
                for (name, parts) in names {
                    let edit = RowEdit(attributes: ["last": .string(String(parts[0])), "first": .string(String(parts[1]))])
                    try store.put("Person", name: name, edit)
                }
            }
            try transaction.checkRequiredValues()
            try transaction.advance(
                by: SchemaChange(from: transaction.schema, to: schema(4, four), kind: .lightweight(discarding: ["Person.name"])))
            try atEnd()
        }
    }
}

extension MigrationFixture {
    /// Every row of every table of the file, but for what holds a moment or a random number.
    func digest() throws -> [String] { try Self.digest(Connection(path: path, mode: .readWrite)) }

    static func digest(_ connection: Connection) throws -> [String] {
        let tables = try connection.rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> '_sluice_transaction' ORDER BY name"
        ) { $0.text(0) }
        return try tables.flatMap { table in
            let condition = table == "_sluice_store" ? " WHERE key <> 'store'" : ""
            return try connection.rows("SELECT * FROM \(SQLText.name(table))\(condition) ORDER BY 1, 2") { row in
                "\(table): "
                    + (0..<row.columnCount).map { column -> String in
                        // A blob's own description is its length.
                        row.value(column).blob?.base64EncodedString() ?? "\(row.value(column))"
                    }.joined(separator: "|")
            }
        }
    }
}
