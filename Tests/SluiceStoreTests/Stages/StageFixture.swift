import Foundation
import SluiceSQLite
import SluiceSchema

@testable import SluiceStore

/// A store with some rows, on which edits are run as a migration runs them.
struct StageFixture {
    let migration: MigrationFixture
    let schema: Schema

    init(_ entities: [Entity] = .pantry, _ fill: (Store) throws -> Void = { _ in }) throws {
        migration = try MigrationFixture()
        schema = try Schema(name: "test", validating: entities)
        try migration.open(entities) { store in try store.write { try fill(store) } }
    }

    /// Runs edits in a migration's transaction, which is rolled back where they fail.
    @discardableResult
    func run(_ edits: StageEdit...) throws -> [Int] {
        try StoreMigration(path: migration.path, options: migration.options).run { transaction in
            try StageRun(edits, .after, on: transaction.store()).run()
        }
    }

    /// Sets one property of every row.
    @discardableResult
    func set(_ entity: String, _ property: String, _ expression: String, where condition: String? = nil) throws -> [Int] {
        try run(StageEdit(entity, where: condition, .set([.init(property, expression)])))
    }

    func value(_ name: String, _ property: String) throws -> PropertyValue? { try migration.attributes(name)[property] }

    /// Everything that the tables and the log hold, for comparing.
    func contents() throws -> [[SQLiteValue]] {
        let connection = try Connection(path: migration.path, mode: .readWrite)
        let tables = try connection.rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name") { $0.text(0) }
        return try tables.flatMap { table in
            try connection.rows("SELECT * FROM \(SQLText.name(table))") { [.text(table)] + $0.values() }
        }
    }
}

extension [Entity] {
    /// Every type of attribute, a hierarchy with siblings whose properties share a name, and relationships with each delete rule.
    static let pantry: [Entity] = [
        Entity(
            "Thing", attributes: [Attribute("name", .string, isOptional: true), Attribute("rank", .int32, defaultValue: .integer(0))],
            relationships: [Relationship("shelf", to: "Shelf", inverse: "things"), Relationship("box", to: "Box", deleteRule: .cascade)]),
        Entity("Jar", superentity: "Thing", attributes: [Attribute("fill", .double, isOptional: true)]),
        Entity("Tin", superentity: "Thing", attributes: [Attribute("fill", .string, isOptional: true)]),
        Entity(
            "Shelf", attributes: [Attribute("label", .string), Attribute("order", .int16, isOptional: true)],
            relationships: [
                Relationship("things", to: "Thing", isToMany: true, inverse: "shelf", deleteRule: .deny),
                Relationship("queue", to: "Box", isToMany: true, isOrdered: true, inverse: "line"),
                Relationship("lamp", to: "Lamp", isOptional: false, inverse: "home"),
            ], uniqueness: [["label"]]),
        Entity("Lamp", relationships: [Relationship("home", to: "Shelf", inverse: "lamp")]),
        Entity(
            "Box",
            attributes: [
                Attribute("code", .string), Attribute("short", .int16, isOptional: true), Attribute("long", .int64, isOptional: true),
                Attribute("flag", .boolean, isOptional: true), Attribute("single", .float, isOptional: true),
                Attribute("double", .double, isOptional: true), Attribute("money", .decimal, isOptional: true),
                Attribute("day", .date, isOptional: true), Attribute("bytes", .data, isOptional: true, isExternal: true),
                Attribute("copy", .data, isOptional: true, isExternal: true), Attribute("key", .uuid, isOptional: true),
                Attribute("link", .url, isOptional: true), Attribute("coded", .codable, isOptional: true),
                Attribute("text", .string, isOptional: true),
            ], relationships: [Relationship("line", to: "Shelf", inverse: "queue")], identity: ["code"]),
    ]
}
