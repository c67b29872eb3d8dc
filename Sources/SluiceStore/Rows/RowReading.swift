package import SluiceSQLite
package import SluiceSchema

extension Store {
    /// Made once per table: its text is long, and single rows are read by the ten thousand.
    private func decoder(of table: Int) -> RowDecoder {
        if let decoder = decoders[table] { return decoder }
        let decoder = RowDecoder(table: table, in: layout, external: externalValues)
        decoders[table] = decoder
        return decoder
    }

    /// The row at `key`; nil where it is gone.
    /// - Parameters:
    ///   - attributes: those to read, by name; nil reads all.
    ///   - onFault: is told of external values that cannot be read, which are null in the row; without it `ExternalValueFault` is thrown.
    package func row(
        at key: RowKey, attributes: Set<String>? = nil, onFault: ((ExternalValueFault) -> Void)? = nil
    ) throws -> StoredRow? {
        let decoder = decoder(of: key.table)
        return try connection.firstRow("\(decoder.selection) WHERE t._pk = ?", [.integer(key.key)]) {
            try decoder.row($0, attributes: attributes, onFault: onFault)
        } ?? nil
    }

    /// Calls `body` with the entity of the row at `key` and its columns as they lie in the table; nil where the row is gone.
    package func withColumns<Result>(
        ofRow key: RowKey, _ body: (StoredEntity, RowColumns) throws -> Result?
    ) throws -> Result? {
        let decoder = decoder(of: key.table)
        return try connection.firstRow("\(decoder.selection) WHERE t._pk = ?", [.integer(key.key)]) {
            try decoder.columns($0).flatMap { try body($0.entity, $0.columns) }
        } ?? nil
    }

    /// The names of the attributes among some columns of a table.
    package func attributes(ofColumns columns: some Sequence<Int>, table: Int) -> Set<String> {
        Set(columns.compactMap { layout.tables[table].columns[$0].attribute?.name })
    }

    package func storedRow(named name: RecordName) throws -> StoredRow? { try row(named: name).flatMap { try row(at: $0) } }

    /// Calls `body` for each row of an entity and its subentities, in key order.
    package func forEachRow(of entity: StoredEntity, _ body: (StoredRow) throws -> Void) throws {
        let decoder = decoder(of: entity.table)
        let (condition, values) = membership(of: entity)
        try connection.forEachRow("\(decoder.selection)\(condition) ORDER BY t._pk", values) { statement in
            if let row = try decoder.row(statement) { try body(row) }
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
        guard let family = layout.rowEntities(of: entity) else { return ("", []) }
        return (" WHERE t._entity IN (\(SQLText.placeholders(family.count)))", family.map(SQLiteValue.text))
    }
}
