import Foundation
import SluiceSchema
import SluiceSQLite
import SluiceStore

/// Edits of a store of any schema from a seed: rows come, move, change and go, by the program and by the sqlite3 shell.
struct RandomRows {
    var random: SeededRandom
    let schema: Schema
    private static let names = ["a", "b", "c", "d", "e"]

    init(seed: UInt64, schema: Schema) {
        random = SeededRandom(state: seed)
        self.schema = schema
    }

    mutating func edit(_ store: Store) throws {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<6: try put(store)
        case 6..<8: try delete(store)
        default: try typeByHand(store)
        }
    }

    private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

    private mutating func name(_ entity: String) -> RecordName {
        // A row of a subentity is one of its root's: the two share names, so that a name is never asked for in both.
        .text("\(entity)-\(Self.names.randomElement(using: &random) ?? "a")")
    }

    private mutating func existing(_ destination: String, in store: Store) throws -> RecordName? {
        guard let entity = schema.entity(named: destination) else { return nil }
        let family = schema.family(of: entity).map(\.name)
        let name = name(family.randomElement(using: &random) ?? destination)
        return try store.row(named: name) == nil ? nil : name
    }

    private mutating func put(_ store: Store) throws {
        guard let entity = schema.entities.randomElement(using: &random) else { return }
        let name = name(entity.name)
        var edit = RowEdit()
        for attribute in schema.attributes(of: entity) where chance(2) {
            if attribute.isOptional, chance(4) { edit.attributes[attribute.name] = .null } else { edit.attributes[attribute.name] = value(attribute) }
        }
        for relationship in schema.relationships(of: entity) where chance(2) {
            if relationship.isToMany {
                let members = try (0..<3).compactMap { _ in try existing(relationship.destination, in: store) }
                edit.collections[relationship.name] = Set(members).sorted()
            } else {
                edit.references[relationship.name] = .some(try existing(relationship.destination, in: store))
            }
        }
        try store.put(entity.name, name: name, edit)
    }

    private mutating func value(_ attribute: Attribute) -> PropertyValue {
        switch attribute.type {
        case .string: .string(RandomRules.texts.randomElement(using: &random) ?? "a")
        case .int64, .int16: .integer(Int64.random(in: -1...4, using: &random))
        case .double: .double([0.5, -1, 1.5, 2, -0.0, .nan, .infinity, 1e16, 0.1].randomElement(using: &random) ?? 0)
        case .boolean: .boolean(Bool.random(using: &random))
        case .date: .date(Date(timeIntervalSince1970: 1_767_225_600 + Double(Int.random(in: 0...4, using: &random)) * 43_200))
        case .decimal: .decimal([Decimal(0), Decimal(string: "0.10") ?? 0, 2, -1, Decimal(string: "1e30") ?? 0, .nan].randomElement(using: &random) ?? 0)
        default: .null
        }
    }

    private mutating func delete(_ store: Store) throws {
        guard let entity = schema.entities.randomElement(using: &random) else { return }
        let name = name(entity.name)
        guard try store.row(named: name) != nil else { return }
        try store.delete(name)
        // Sometimes the same record comes back in the same transaction, under another key.
        if chance(3) { try store.put(entity.name, name: name, RowEdit(attributes: ["n": .integer(3)])) }
    }

    /// What a person does with the shell: many rows in one statement, references turned over, pairs taken away.
    private mutating func typeByHand(_ store: Store) throws {
        guard let table = store.layout.tables.randomElement(using: &random) else { return }
        if store.layout.entities[table.name]?.isJoin == true {
            return try store.connection.execute("DELETE FROM \(table.sql) WHERE _pk = (SELECT max(_pk) FROM \(table.sql))")
        }
        let references = table.columns.filter { $0.referencedTable != nil }
        var statements = [
            "UPDATE \(table.sql) SET n = coalesce(n, 0) + 1 WHERE n < 3", "UPDATE \(table.sql) SET b = 1 - b",
            "UPDATE \(table.sql) SET s = 'Z' WHERE s = 'a'", "DELETE FROM \(table.sql) WHERE _pk = (SELECT max(_pk) FROM \(table.sql))",
        ]
        if let column = references.randomElement(using: &random), let target = column.referencedTable {
            let first = "(SELECT min(_pk) FROM \(SQLText.name(target)))"
            statements += ["UPDATE \(table.sql) SET \(column.sql) = \(first) WHERE n > 0", "UPDATE \(table.sql) SET \(column.sql) = NULL WHERE b = 1"]
        }
        try store.connection.execute(statements.randomElement(using: &random) ?? "SELECT 1")
    }
}
