import SluiceSQLite
import SluiceSchema

/// Brings the indexes to what a new store would have. One that is right stays: making it again reads every row.
struct IndexMigration {
    let connection: Connection
    let layout: LayoutChange

    /// Drops indexes of ours that the new layout has not, so that no old rule hinders the filling of columns. Those of a person stay.
    func dropStale() throws {
        let wanted = Set(layout.new.tables.indices.flatMap { layout.new.definition(ofTable: $0).indexes })
        let prefixes = layout.old.tables.map { "\($0.name)$" }
        let found = try indexes()
        for (name, sql) in found where !wanted.contains(sql) && prefixes.contains(where: name.hasPrefix) {
            try connection.execute("DROP INDEX \(SQLText.name(name))")
        }
    }

    /// Makes the indexes that are missing.
    /// - Returns: a fault for each constraint that the rows break.
    func createMissing() throws -> [MigrationFault] {
        let found = Set(try indexes().map(\.sql))
        var faults: [MigrationFault] = []
        for table in layout.new.tables.indices {
            let definition = layout.new.definition(ofTable: table)
            for statement in definition.indexes where !found.contains(statement) {
                guard try !isMade(statement) else { continue }
                guard let broken = definition.uniqueIndexes.first(where: { $0.statement == statement }) else {
                    throw StoreError.damaged(
                        path: connection.path, faults: ["two rows of \(layout.new.tables[table].name) have one record name"])
                }
                faults.append(try duplicates(broken.entity, broken.columns, in: layout.new.tables[table]))
            }
        }
        return faults
    }

    /// Whether the rows allow the index.
    private func isMade(_ statement: String) throws -> Bool {
        do { try connection.execute(statement) } catch {
            guard ResultCode.constraintUnique ~= error.code else { throw error }
            return false
        }
        return true
    }

    private func indexes() throws -> [(name: String, sql: String)] {
        try connection.rows("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL") { ($0.text(0), $0.text(1)) }
    }

    private static let duplicateCountMax = 1_000

    /// The rows that share values which are to be unique. As in SQL, NULL is different from every value.
    private func duplicates(_ entity: StoredEntity, _ columns: [Int], in table: TableLayout) throws -> MigrationFault {
        let terms = columns.map { table.columns[$0].comparisonSQL }.joined(separator: ", ")
        let shown = columns.map { column -> String in
            let name = table.columns[column].sql
            return table.columns[column].referencedTable.map { "(SELECT _id FROM \(SQLText.name($0)) WHERE _pk = t.\(name))" } ?? name
        }
        var values: [[PropertyValue]] = []
        var records: [RecordName] = []
        try connection.forEachRow(
            """
            SELECT _id, \(shown.joined(separator: ", ")) FROM \(table.sql) AS t
                WHERE (\(terms)) IN (SELECT \(terms) FROM \(table.sql) GROUP BY \(terms) HAVING count(*) > 1)
                ORDER BY \(terms), _pk LIMIT \(Self.duplicateCountMax)
            """
        ) { row in
            if let name = RecordName(stored: row.value(0)) { records.append(name) }
            let found = columns.enumerated().map { place, column -> PropertyValue in
                let value = row.value(Int32(place + 1))
                guard let attribute = table.columns[column].attribute else {
                    return RecordName(stored: value).map { .string($0.text) } ?? .null
                }
                return PropertyValue(stored: value, as: attribute.type)
            }
            if !values.contains(found) { values.append(found) }
        }
        let properties = columns.map { column in
            zip(entity.columns, entity.propertyNames).first { $0.0 == column }?.1 ?? table.columns[column].name
        }
        return .duplicates(entity: entity.name, properties: properties, values: values, records: records)
    }
}
