package import SluiceSQLite

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
        for (position, property) in zip(entity.columns, entity.propertyNames) {
            let value = statement.value(Int32(Self.fixedColumnCount + position))
            if let attribute = columns[position].attribute {
                row.attributes[attribute.name] = PropertyValue(stored: value, as: attribute.type)
            } else if let target = RecordName(stored: value) {
                row.references[property] = target
            }
        }
        return row
    }
}
