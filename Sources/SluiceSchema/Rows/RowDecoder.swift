package import SluiceSQLite

/// Reads rows of one table: the columns to select and how to turn them into a `StoredRow`.
package struct RowDecoder {
    private let layout: StoredSchema
    private let table: Int
    /// Of which every row is, where the table holds rows of one entity; else each row says.
    private let onlyEntity: StoredEntity?
    private let external: ExternalValues?
    /// `SELECT` and `FROM`; the caller adds its conditions. The table's alias is `t`.
    package let selection: String

    /// - Parameter external: where large values lie; nil for a store without such a place.
    package init(table: Int, in layout: StoredSchema, external: ExternalValues?) {
        self.layout = layout
        self.table = table
        self.external = external
        let tableLayout = layout.tables[table]
        onlyEntity = tableLayout.isHierarchy ? nil : layout.entity(inTable: table, discriminator: nil)
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

    private func entity(of statement: Statement) -> StoredEntity? {
        layout.entity(inTable: table, discriminator: statement.isNull(2) ? nil : statement.text(2))
    }

    package func key(_ statement: Statement) -> RowKey { RowKey(table: table, key: statement.integer(0)) }

    /// nil where a person gave the row something that is no record name.
    /// - Parameters:
    ///   - attributes: those to read, by name; the others are left out of the row. nil reads all.
    ///   - onFault: is told of external values that cannot be read, which are null in the row; without it they are thrown.
    /// - Throws: `ExternalValueFault`, naming the record and its property.
    package func row(
        _ statement: Statement, attributes wanted: Set<String>? = nil, onFault: ((ExternalValueFault) -> Void)? = nil
    ) throws(ExternalValueFault) -> StoredRow? {
        guard let name = RecordName(stored: statement.value(1)), let entity = onlyEntity ?? entity(of: statement) else { return nil }
        let columns = layout.tables[table].columns
        var row = StoredRow(entity: entity.name, name: name)
        row.attributes.reserveCapacity(min(entity.columns.count, wanted?.count ?? .max))
        let values = RowColumns(statement: statement, external: external)
        for (position, property) in zip(entity.columns, entity.propertyNames) {
            guard let attribute = columns[position].attribute else {
                if let target = values.reference(inColumn: position) { row.references[property] = target }
                continue
            }
            if let wanted, !wanted.contains(attribute.name) { continue }
            do throws(ExternalValueFault) {
                row.attributes[attribute.name] = try values.property(inColumn: position, as: attribute.type)
            } catch {
                let fault = error.of(attribute.name, in: entity.name, record: name)
                guard let onFault else { throw fault }
                onFault(fault)
                row.attributes[attribute.name] = .null
            }
        }
        return row
    }

    /// The row's entity, and its columns one by one: for who goes through many rows of a kind and needs no `StoredRow` of each.
    package func columns(_ statement: Statement) -> (entity: StoredEntity, columns: RowColumns)? {
        guard let entity = onlyEntity ?? entity(of: statement) else { return nil }
        return (entity, RowColumns(statement: statement, external: external))
    }
}

/// The columns of the row that a statement of a `RowDecoder` stands on. Not to be kept: the next step changes them.
package struct RowColumns {
    let statement: Statement
    let external: ExternalValues?
    static let fixedColumnCount: Int32 = 3

    /// - Parameter position: of a column of the table that holds an attribute of that type.
    /// - Throws: `ExternalValueFault`, without the names of record and property.
    package func property(inColumn position: Int, as type: AttributeType) throws(ExternalValueFault) -> PropertyValue {
        try PropertyValue(stored: statement.value(Self.fixedColumnCount + Int32(position)), as: type, external: external)
    }

    /// - Parameter position: of a column of the table that holds a reference.
    package func reference(inColumn position: Int) -> RecordName? {
        RecordName(stored: statement.value(Self.fixedColumnCount + Int32(position)))
    }
}
