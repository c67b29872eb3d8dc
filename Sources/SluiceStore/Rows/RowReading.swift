package import SluiceSQLite
package import SluiceSchema

/// Reads rows of one table: the columns to select and how to turn them into a `StoredRow`.
package struct RowDecoder {
    private let layout: StoredSchema
    private let table: Int
    /// `SELECT` and `FROM`; the caller adds its conditions. The table's alias is `t`.
    package let selection: String
    private static let fixedColumnCount = 3

    package init(table: Int, in layout: StoredSchema) {
        self.layout = layout
        self.table = table
        let tableLayout = layout.tables[table]
        var terms = ["t._pk", "t._id", tableLayout.isHierarchy ? "t._entity" : "NULL"]
        for column in tableLayout.columns {
            if let referenced = column.referencedTable {
                terms.append("(SELECT _id FROM \(SQLText.name(referenced)) WHERE _pk = t.\(column.sql))")
            } else {
                terms.append("t.\(column.sql)")
            }
        }
        selection = "SELECT \(terms.joined(separator: ", ")) FROM \(tableLayout.sql) AS t"
    }

    package func key(_ statement: Statement) -> RowKey { RowKey(table: table, key: statement.integer(0)) }

    /// nil where a person gave the row something that is no record name.
    package func row(_ statement: Statement) -> StoredRow? {
        let discriminator = statement.isNull(2) ? nil : statement.text(2)
        guard let name = RecordName(stored: statement.value(1)),
            let entity = layout.entity(inTable: table, discriminator: discriminator)
        else { return nil }
        let columns = layout.tables[table].columns
        var row = StoredRow(entity: entity.name, name: name)
        for position in entity.columns {
            let value = statement.value(Int32(Self.fixedColumnCount + position))
            if let attribute = columns[position].attribute {
                row.attributes[attribute.name] = PropertyValue(stored: value, as: attribute.type)
            } else if let target = RecordName(stored: value) {
                row.references[columns[position].name] = target
            }
        }
        return row
    }
}

extension Store {
    /// The row at `key`; nil where it is gone.
    package func row(at key: RowKey) throws -> StoredRow? {
        let decoder = RowDecoder(table: key.table, in: layout)
        return try connection.firstRow("\(decoder.selection) WHERE t._pk = ?", [.integer(key.key)]) { decoder.row($0) } ?? nil
    }

    package func storedRow(named name: RecordName) throws -> StoredRow? { try row(named: name).flatMap { try row(at: $0) } }

    /// Calls `body` for each row of an entity and its subentities, in key order.
    package func forEachRow(of entity: StoredEntity, _ body: (StoredRow) throws -> Void) throws {
        let decoder = RowDecoder(table: entity.table, in: layout)
        let (condition, values) = membership(of: entity)
        try connection.forEachRow("\(decoder.selection)\(condition) ORDER BY t._pk", values) { statement in
            if let row = decoder.row(statement) { try body(row) }
        }
    }

    package func count(of entity: StoredEntity) throws -> Int {
        let (condition, values) = membership(of: entity)
        return Int(try connection.integer("SELECT count(*) FROM \(layout.table(of: entity).sql) AS t\(condition)", values))
    }

    /// Rows of exactly this entity, its subentities left out.
    package func exactCount(of entity: StoredEntity) throws -> Int {
        let condition = entity.discriminator == nil ? "" : " WHERE _entity = ?"
        let values = entity.discriminator.map { [SQLiteValue.text($0)] } ?? []
        return Int(try connection.integer("SELECT count(*) FROM \(layout.table(of: entity).sql)\(condition)", values))
    }

    /// The condition that keeps an entity's own rows and those of its subentities.
    package func membership(of entity: StoredEntity) -> (sql: String, values: [SQLiteValue]) {
        guard entity.discriminator != nil, let declared = layout.schema.entity(named: entity.name), declared.superentity != nil else {
            return ("", [])
        }
        let family = layout.schema.family(of: declared).map { SQLiteValue.text($0.name) }
        return (" WHERE t._entity IN (\(SQLText.placeholders(family.count)))", family)
    }
}
