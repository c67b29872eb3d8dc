// Rows by key and column: the level below names and values. Every change of a row passes through here, so that the NFC shadow
// follows its text and the delete rules hold.

package import SluiceSQLite
package import SluiceSchema

extension Store {
    /// Inserts a row and returns its key. Columns that no cell names are NULL.
    /// - Throws: `StoreError.uniqueConflict` where another row has the same unique values or the same name.
    package func insertRow(_ entity: StoredEntity, name: RecordName, cells: [Cell]) throws -> RowKey {
        let cells = try placed(cells, table: entity.table)
        let statement = try insertStatement(for: entity)
        try namingConflicts(of: entity) { try statement.run(name: name, cells: cells) }
        return RowKey(table: entity.table, key: connection.lastInsertRowID)
    }

    /// Writes cells of an existing row. A cell that holds what is there already changes nothing and logs nothing.
    package func updateRow(_ row: RowKey, of entity: StoredEntity, cells: [Cell]) throws {
        guard !cells.isEmpty else { return }
        let cells = try placed(cells, table: row.table)
        let table = layout.tables[row.table]
        var assignments: [String] = []
        var values: [SQLiteValue] = []
        for cell in cells {
            let column = table.columns[cell.column]
            assignments.append("\(column.sql) = ?")
            values.append(cell.value)
            guard let shadow = column.shadowName else { continue }
            assignments.append("\(SQLText.name(shadow)) = ?")
            values.append(SQLiteValue(cell.value.text.flatMap(CanonicalText.shadow)))
        }
        values.append(.integer(row.key))
        try namingConflicts(of: entity) {
            _ = try connection.run("UPDATE \(table.sql) SET \(assignments.joined(separator: ", ")) WHERE _pk = ?", values)
        }
    }

    /// Turns SQLite's complaint about an index into ours about properties.
    package func namingConflicts(of entity: StoredEntity, _ body: () throws -> Void) throws {
        do { try body() } catch let error as SQLiteError where error.code == .constraintUnique {
            throw conflict(error, entity: entity)
        }
    }

    /// SQLite names the index of an expression constraint, and the columns of a plain one.
    private func conflict(_ error: SQLiteError, entity: StoredEntity) -> StoreError {
        let table = layout.table(of: entity)
        let properties = entity.uniqueness.first { constraint in
            let index = "\(table.name)$unique_\(constraint.map { table.columns[$0].name }.joined(separator: "_"))"
            let columns = constraint.map { "\(table.name).\(table.columns[$0].name)" }.joined(separator: ", ")
            return error.message.contains(index) || error.message.hasSuffix(columns)
        }
        return .uniqueConflict(entity: entity.name, properties: properties?.map { table.columns[$0].name } ?? ["record name"])
    }

    package func insertStatement(for entity: StoredEntity) throws(SQLiteError) -> InsertStatement {
        if let statement = insertStatements[entity.name] { return statement }
        let statement = try InsertStatement(entity, in: layout.table(of: entity), on: connection)
        insertStatements[entity.name] = statement
        return statement
    }

    /// A statement that writes some columns of a row of `table`, its NFC shadows with them; `key` is the placeholder of the row's key.
    package func updateStatement(
        table index: Int, columns: [Int]
    ) throws(SQLiteError) -> (statement: Statement, positions: [Int32], shadows: [Int32], key: Int32) {
        let table = layout.tables[index]
        var positions = [Int32](repeating: 0, count: table.columns.count)
        var shadows = positions
        var assignments: [String] = []
        for column in columns {
            assignments.append("\(table.columns[column].sql) = ?")
            positions[column] = Int32(assignments.count)
            guard let shadow = table.columns[column].shadowName else { continue }
            assignments.append("\(SQLText.name(shadow)) = ?")
            shadows[column] = Int32(assignments.count)
        }
        let statement = try connection.prepare("UPDATE \(table.sql) SET \(assignments.joined(separator: ", ")) WHERE _pk = ?")
        return (statement, positions, shadows, Int32(assignments.count + 1))
    }

    /// A statement whose one row is the values that were bound to it, in the form that a row would hold them.
    package func echoStatement(count: Int) throws(SQLiteError) -> Statement {
        try connection.prepare("SELECT \(SQLText.placeholders(count))")
    }

    /// The greatest key that a table ever gave out.
    package func lastKey(table: Int) throws(SQLiteError) -> Int64 {
        try connection.integer("SELECT seq FROM sqlite_sequence WHERE name = ?", [.text(layout.tables[table].name)])
    }

    // MARK: Finding rows

    /// The row of that name in the entity's table; nil where there is none.
    package func key(of name: RecordName, table: Int) throws -> RowKey? {
        try connection.value("SELECT _pk FROM \(layout.tables[table].sql) WHERE _id = ?", [name.stored])?.integer
            .map { RowKey(table: table, key: $0) }
    }

    /// The row of that name, whatever its table.
    package func row(named name: RecordName) throws -> RowKey? {
        for table in layout.tables.indices {
            if let row = try key(of: name, table: table) { return row }
        }
        return nil
    }

    package func name(of row: RowKey) throws -> RecordName? {
        try connection.value("SELECT _id FROM \(layout.tables[row.table].sql) WHERE _pk = ?", [.integer(row.key)])
            .flatMap { RecordName(stored: $0) }
    }

    /// The entity of a row; nil where the row is gone.
    package func entity(of row: RowKey) throws -> StoredEntity? {
        let table = layout.tables[row.table]
        let discriminator = table.isHierarchy ? "_entity" : "NULL"
        guard let value = try connection.value("SELECT \(discriminator) FROM \(table.sql) WHERE _pk = ?", [.integer(row.key)]) else {
            return nil
        }
        return layout.entity(inTable: row.table, discriminator: value.text)
    }

    /// The row that has the same values in one of the entity's unique constraints.
    package func conflictingRow(_ entity: StoredEntity, cells: [Cell], except row: RowKey? = nil) throws -> RowKey? {
        guard !entity.uniqueness.isEmpty else { return nil }
        let table = layout.table(of: entity)
        let cells = try compared(cells, table: entity.table)
        let values = Dictionary(cells.map { ($0.column, $0.value) }, uniquingKeysWith: { _, last in last })
        for constraint in entity.uniqueness {
            let wanted = constraint.map { values[$0] ?? .null }
            // As in SQL, NULL is different from every value: several rows may lack one.
            guard !wanted.contains(where: \.isNull) else { continue }
            let terms = constraint.map { "\(table.columns[$0].comparisonSQL) = ?" }.joined(separator: " AND ")
            let normal = wanted.map { value in value.text.map { .text(CanonicalText.nfc($0)) } ?? value }
            let sql = "SELECT _pk FROM \(table.sql) WHERE \(terms) AND _pk IS NOT ?"
            if let key = try connection.value(sql, normal + [SQLiteValue(row?.key)])?.integer {
                return RowKey(table: entity.table, key: key)
            }
        }
        return nil
    }
}
