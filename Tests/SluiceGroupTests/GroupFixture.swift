import Foundation
import SluiceReader
import SluiceSQLite
import SluiceSchema
import SluiceStore

@testable import SluiceGroup

/// A synced store and a place for group containers, in a folder of their own.
final class GroupFixture {
    let folder: URL
    let store: Store

    init(_ entities: [Entity]) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        store = try Self.openStore(folder, entities)
    }

    deinit {
        do { try FileManager.default.removeItem(at: folder) } catch { print("could not remove \(folder.path): \(error)") }
    }

    static func openStore(_ folder: URL, _ entities: [Entity]) throws -> Store {
        try Store(
            path: folder.appending(path: "Private.store").path, schema: Schema(name: "test", validating: entities),
            options: Store.Options(zone: "test"))
    }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    func directory(_ name: String = "group") throws -> GroupDirectory { try GroupDirectory(preparing: path(name), unixGroup: nil) }

    func writer(
        _ projections: [Projection], in name: String = "group", options: LocalStoreWriter.Options = .init()
    ) throws -> LocalStoreWriter {
        try LocalStoreWriter(
            group: directory(name), projections: projections, privateStoreSchema: store.layout.schema, options: options)
    }

    func container(_ name: String = "group") -> GroupContainer { GroupContainer(directory: path(name)) }

    /// Every row of every table, as SQLite holds it.
    func contents(of generation: LocalStoreWriter.Generation, in name: String = "group") throws -> [String: [[SQLiteValue]]] {
        let connection = try Connection(path: "\(path(name))/\(generation.file.name)", mode: .readOnly)
        let tables = try connection.rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_sluice%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'"
        ) { $0.text(0) }
        return try Dictionary(uniqueKeysWithValues: tables.map { table in
            (table, try connection.rows("SELECT * FROM \(SQLText.name(table)) ORDER BY _pk") { $0.values() })
        })
    }

    func foreignKeyFaults(of generation: LocalStoreWriter.Generation, in name: String = "group") throws -> Int {
        let connection = try Connection(path: "\(path(name))/\(generation.file.name)", mode: .readOnly)
        return try connection.rows("PRAGMA foreign_key_check") { _ in 1 }.count
    }
}

extension [Entity] {
    static let shop: [Entity] = [
        Entity(
            "List", attributes: [Attribute("title", .string), Attribute("isHidden", .boolean, defaultValue: .boolean(false))],
            relationships: [Relationship("items", to: "Item", isToMany: true, inverse: "list", deleteRule: .cascade)]),
        Entity(
            "Item",
            attributes: [
                Attribute("sku", .string, isOptional: true), Attribute("price", .double, isOptional: true),
                Attribute("note", .string, isOptional: true),
            ],
            relationships: [
                Relationship("list", to: "List", inverse: "items"), Relationship("tags", to: "Tag", isToMany: true, inverse: "items"),
            ], uniqueness: [["sku"]]),
        Entity(
            "Tag", attributes: [Attribute("label", .string)],
            relationships: [Relationship("items", to: "Item", isToMany: true, inverse: "tags")], identity: ["label"]),
    ]

    /// References of every kind: to-one with and without an inverse, to itself, to-many without an inverse, many-to-many, to a hierarchy.
    static let garage: [Entity] = [
        Entity(
            "Owner", attributes: [Attribute("name", .string), Attribute("email", .string, isOptional: true)],
            relationships: [
                Relationship("vehicles", to: "Vehicle", isToMany: true, inverse: "owner"), Relationship("best", to: "Car"),
                Relationship("mentor", to: "Owner"), Relationship("notes", to: "Note", isToMany: true),
            ], uniqueness: [["email"]]),
        Entity(
            "Vehicle", isAbstract: true, attributes: [Attribute("wheels", .int16), Attribute("label", .string, isOptional: true)],
            relationships: [
                Relationship("owner", to: "Owner", inverse: "vehicles"),
                Relationship("tags", to: "Tag", isToMany: true, inverse: "vehicles"),
            ]),
        Entity("Boat", superentity: "Vehicle", attributes: [Attribute("size", .string, isOptional: true)]),
        Entity("Car", superentity: "Vehicle", attributes: [Attribute("size", .int16, isOptional: true)]),
        Entity(
            "Tag", attributes: [Attribute("label", .string), Attribute("rank", .int32, defaultValue: .integer(0))],
            relationships: [Relationship("vehicles", to: "Vehicle", isToMany: true, inverse: "tags")]),
        Entity("Note", attributes: [Attribute("text", .string)]),
    ]
}
