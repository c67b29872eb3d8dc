import SluiceSQLite
package import SluiceSchema

extension Store {
    /// The rows that changed after a position, each once and without what happened to it; nil where there are more than `limit`.
    package func changedRows(after sequence: Int64, limit: Int) throws -> Set<RowKey>? {
        let tables = Dictionary(uniqueKeysWithValues: tableNumbers.enumerated().map { ($1, $0) })
        var rows: Set<RowKey> = []
        var count = 0
        try connection.forEachRow(
            "SELECT DISTINCT tbl, row FROM _sluice_change WHERE seq > ? LIMIT ?", [.integer(sequence), SQLiteValue(limit + 1)]
        ) { statement in
            count += 1
            if let table = tables[statement.integer(0)] { rows.insert(RowKey(table: table, key: statement.integer(1))) }
        }
        return count > limit ? nil : rows
    }
}
