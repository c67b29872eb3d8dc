import Foundation
import SluiceDigest
import SluiceSQLite
import SluiceSchema

/// Makes a new store, in one transaction.
struct StoreDefinition {
    let layout: StoredSchema
    let options: Store.Options

    func create(in connection: Connection) throws {
        var random = options.random
        let identifier = UUID.random(using: &random)
        try connection.transaction {
            // Another process may have been first; its file is then checked like any other.
            guard try connection.integer("SELECT count(*) FROM sqlite_master") == 0 else { return }
            for statement in headerStatements { try connection.execute(statement) }
            let values: [(String, SQLiteValue)] = [
                ("schema", .blob(try layout.schema.canonicalEncoding())),
                ("checksum", .text(Digest.sha256(try layout.schema.shapeEncoding()).hexadecimal)),
                ("store", .text(identifier.uuidString)),
                ("owner", SQLiteValue(options.owner)),
            ]
            for (key, value) in values { try connection.run("INSERT INTO _sluice_store VALUES (?, ?)", [.text(key), value]) }
            if options.capturesChanges {
                for statement in CaptureDefinition.logStatements + SyncDefinition.statements { try connection.execute(statement) }
            }
            for (index, table) in layout.tables.enumerated() { try create(table, index: index, in: connection) }
        }
    }

    private var headerStatements: [String] {
        [
            "PRAGMA application_id = \(StoreHeader.applicationID)",
            "PRAGMA user_version = \(StoreHeader.format)",
            "CREATE TABLE _sluice_store (key TEXT PRIMARY KEY, value) WITHOUT ROWID",
            "CREATE TABLE _sluice_table (number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE)",
        ]
    }

    private func create(_ table: TableLayout, index: Int, in connection: Connection) throws {
        try connection.run("INSERT INTO _sluice_table(name) VALUES (?)", [.text(table.name)])
        let number = connection.lastInsertRowID
        for statement in layout.definition(ofTable: index).statements { try connection.execute(statement) }
        guard options.capturesChanges else { return }
        for statement in CaptureDefinition(layout: table, number: number).statements { try connection.execute(statement) }
    }
}

extension StoredSchema {
    /// The statements that make one of the tables.
    func definition(ofTable index: Int) -> TableDefinition {
        let entities = entities(in: index)
        return TableDefinition(layout: tables[index], entities: entities, indices: indices(of: entities))
    }

    /// Columns of each declared index; a name that is no column of this table (a to-one held by the other side) has none.
    private func indices(of entities: [StoredEntity]) -> [[Int]] {
        entities.flatMap { entity -> [[Int]] in
            guard let declared = schema.entity(named: entity.name) else { return [] }
            return declared.indices.map { names in
                names.compactMap { name in zip(entity.columns, entity.propertyNames).first { $0.1 == name }?.0 }
            }
        }.filter { !$0.isEmpty }
    }
}

extension UUID {
    /// A version 4 UUID from a given source of randomness.
    static func random(using generator: inout some RandomNumberGenerator) -> UUID {
        var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
