import Foundation
import SluiceSQLite
import SluiceSchema
import Testing

@testable import SluiceStore

/// A store file in a folder of its own, opened anew for each step as programs do.
final class MigrationFixture {
    let folder: URL
    let clock = StoreFixture.TestClock()
    let capturesChanges: Bool
    var path: String { folder.appending(path: "Private.store").path }

    init(capturesChanges: Bool = true) throws {
        self.capturesChanges = capturesChanges
        folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        do { try FileManager.default.removeItem(at: folder) } catch { print("could not remove \(folder.path): \(error)") }
    }

    static func options(_ clock: StoreFixture.TestClock, capturesChanges: Bool = true) -> Store.Options {
        var options = Store.Options(zone: "test")
        options.capturesChanges = capturesChanges
        options.now = { clock.now }
        return options
    }

    var options: Store.Options { Self.options(clock, capturesChanges: capturesChanges) }

    /// Opens the store with `entities`, or makes it, and closes it again.
    @discardableResult
    func open<Result>(_ entities: [Entity], _ body: (Store) throws -> Result) throws -> Result {
        try body(Store(path: path, schema: Schema(name: "test", validating: entities), options: options))
    }

    /// Opens the store with the schema that it holds.
    @discardableResult
    func open<Result>(_ body: (Store) throws -> Result) throws -> Result {
        let held = try #require(try Store.schema(at: path))
        return try body(Store(path: path, schema: held, options: options))
    }

    func migrate(
        to entities: [Entity], _ kind: SchemaChange.Kind = .lightweight(), version: SchemaVersion = SchemaVersion(2, 0, 0),
        willMigrate: (Store) throws -> Void = { _ in }, didMigrate: (Store) throws -> Void = { _ in }
    ) throws {
        let wanted = try Schema(name: "test", version: version, validating: entities)
        try StoreMigration(path: path, options: options).run { transaction in
            if kind == .custom { try willMigrate(transaction.store()) }
            try transaction.advance(by: SchemaChange(from: transaction.schema, to: wanted, kind: kind))
            guard kind == .custom else { return }
            try didMigrate(transaction.store())
            try transaction.checkRequiredValues()
        }
        try checkSoundness()
    }

    /// The file is sound, and has the objects that a new store of its schema would have.
    func checkSoundness() throws {
        let connection = try Connection(path: path, mode: .readWrite)
        #expect(try connection.integrityFaults().isEmpty)
        #expect(try connection.rows("PRAGMA foreign_key_check") { $0.text(0) }.isEmpty)
        let held = try Store.schema(in: connection)
        let fresh = try MigrationFixture(capturesChanges: capturesChanges)
        try Store(path: fresh.path, schema: held, options: fresh.options).write {}
        let (mine, other) = (try StoreObjects(connection), try StoreObjects(Connection(path: fresh.path, mode: .readWrite)))
        for name in Set(mine.lines.keys).union(other.lines.keys).sorted() { #expect(mine.lines[name] == other.lines[name], "\(name)") }
        #expect(
            try StoreHeader.value("checksum", in: connection)
                == StoreHeader.value("checksum", in: Connection(path: fresh.path, mode: .readWrite)))
    }

    /// The entities of the schema that the file holds.
    func held() throws -> [Entity] { try Store.schema(at: path).map(\.entities) ?? [] }

    /// A row's attributes; empty where it is gone.
    func attributes(_ name: String) throws -> [String: PropertyValue] {
        try open { store in try store.storedRow(named: RecordName(name)).map(\.attributes) ?? [:] }
    }

    func references(_ name: String) throws -> [String: RecordName] {
        try open { store in try store.storedRow(named: RecordName(name)).map(\.references) ?? [:] }
    }

    func count(_ sql: String) throws -> Int { Int(try Connection(path: path, mode: .readWrite).integer(sql)) }
}

/// What is declared in a file, without the order of columns and the numbers of tables.
struct StoreObjects {
    private(set) var lines: [String: Set<String>] = [:]

    init(_ connection: Connection) throws {
        let numbers = Dictionary(
            uniqueKeysWithValues: try connection.rows("SELECT number, name FROM _sluice_table") { ($0.integer(0), $0.text(1)) })
        func named(_ text: String) -> String {
            var text = text
            for (number, name) in numbers {
                text = text.replacing("_sluice_old_\(number)\"", with: "_sluice_old_<\(name)>\"").replacing(
                    "_sluice_\(number)_", with: "_sluice_<\(name)>_"
                )
                .replacing("SELECT txn, \(number), ", with: "SELECT txn, <\(name)>, ").replacing(
                    "_sluice_old_\(number)(", with: "_sluice_old_<\(name)>(")
                if text == "_sluice_old_\(number)" { text = "_sluice_old_<\(name)>" }
            }
            return text
        }
        let objects = try connection.rows("SELECT type, name, sql FROM sqlite_master WHERE name NOT GLOB 'sqlite_*'") {
            ($0.text(0), $0.text(1), $0.text(2))
        }
        for (type, name, sql) in objects {
            guard type == "table" else {
                lines["\(type) \(named(name))", default: []].insert(named(sql))
                continue
            }
            let columns = try connection.rows("SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info(?)", [.text(name)]) {
                row in
                (0..<Int32(5)).map { "\(row.value($0))" }.joined(separator: " ")
            }
            let keys = try connection.rows("SELECT \"table\", \"from\", \"to\", on_delete FROM pragma_foreign_key_list(?)", [.text(name)]) {
                row in
                (0..<Int32(4)).map { row.text($0) }.joined(separator: " ")
            }
            lines["table \(named(name))"] = Set(columns + keys)
        }
    }
}
