import Foundation
import SluiceSQLite

/// What a Core Data file says about itself outside its rows: tables, columns, entity numbers, metadata.
struct FileTables {
    struct Column: Hashable {
        let name: String
        let declaredType: String

        /// The group Core Data puts a column in; it orders and numbers columns group by group.
        enum Group: Int, CaseIterable { case integer, number, text, bytes }

        var group: Group? {
            switch declaredType.uppercased() {
            case "INTEGER": .integer
            case "FLOAT", "TIMESTAMP", "DECIMAL", "DOUBLE", "REAL": .number
            case "BLOB": .bytes
            case let type where type.hasPrefix("VARCHAR") || type == "TEXT": .text
            default: nil
            }
        }
    }

    struct Table {
        let name: String
        let columns: [Column]

        func column(_ name: String) -> Column? { columns.first { $0.name.uppercased() == name.uppercased() } }
    }

    struct NumberedEntity {
        let number: Int64
        let name: String
        let parent: Int64
        /// The highest row number ever given out.
        let highestKey: Int64
    }

    let tables: [Table]
    /// Views and triggers: SQL that is not carried over.
    let otherObjects: [(kind: String, name: String)]
    let entities: [NumberedEntity]
    let storeIdentifier: String
    let metadata: Data
    let modelCache: Data?

    private static let tableCountMax = 20_000

    init(reading connection: Connection) throws {
        let names = try connection.rows(
            "SELECT type, name FROM sqlite_schema WHERE type <> 'index' ORDER BY name LIMIT ?", [SQLiteValue(Self.tableCountMax)]
        ) { ($0.text(0), $0.text(1)) }
        tables = try names.filter { $0.0 == "table" }.map { _, name in
            let columns = try connection.rows("SELECT name, type FROM pragma_table_info(?)", [.text(name)]) {
                Column(name: $0.text(0), declaredType: $0.text(1))
            }
            return Table(name: name, columns: columns)
        }
        otherObjects = names.filter { $0.0 != "table" }.map { (kind: $0.0, name: $0.1) }
        entities = try connection.rows("SELECT Z_ENT, Z_NAME, coalesce(Z_SUPER, 0), coalesce(Z_MAX, 0) FROM Z_PRIMARYKEY ORDER BY Z_ENT") {
            NumberedEntity(number: $0.integer(0), name: $0.text(1), parent: $0.integer(2), highestKey: $0.integer(3))
        }
        let row = try connection.firstRow("SELECT Z_UUID, Z_PLIST FROM Z_METADATA") { ($0.text(0), $0.data(1)) }
        storeIdentifier = row?.0 ?? ""
        metadata = row?.1 ?? Data()
        let hasCache = tables.contains { $0.name == "Z_MODELCACHE" }
        modelCache = hasCache ? try connection.firstRow("SELECT Z_CONTENT FROM Z_MODELCACHE") { $0.data(0) } : nil
    }

    func table(_ name: String) -> Table? { tables.first { $0.name.uppercased() == name.uppercased() } }

    /// Core Data's own entities, numbered from 16001: history, and whatever else it keeps for itself.
    static let ownEntityNumberMin: Int64 = 16_000

    var modelEntities: [NumberedEntity] { entities.filter { $0.number < Self.ownEntityNumberMin } }
}
