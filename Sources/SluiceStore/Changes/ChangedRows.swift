import SluiceSQLite
package import SluiceSchema

/// What happened to one row between two positions of the log, all of it together.
package struct ChangedRow: Hashable, Sendable {
    /// Whether the row came or went.
    package var isWhole = false
    /// Columns whose value changed on the way, though it may be the old one again.
    package var columns: Set<Int> = []
    /// Keys that columns with references held before, by column.
    package var former: [Int: Set<Int64>] = [:]

    package init() {}
}

extension Store {
    /// The rows that changed after a position, and what changed in them; nil where there are more than `limit`.
    package func changedRows(after sequence: Int64, limit: Int) throws -> [RowKey: ChangedRow]? {
        let tables = Dictionary(uniqueKeysWithValues: tableNumbers.enumerated().map { ($1, $0) })
        var counts: [Int64: Int] = [:]
        try connection.forEachRow(
            "SELECT tbl, count(*) FROM (SELECT DISTINCT tbl, row FROM _sluice_change WHERE seq > ? LIMIT ?) GROUP BY tbl",
            [.integer(sequence), SQLiteValue(limit + 1)]
        ) { counts[$0.integer(0)] = Int($0.integer(1)) }
        guard counts.values.reduce(0, +) <= limit else { return nil }
        var rows: [RowKey: ChangedRow] = [:]
        for (number, table) in tables where counts[number] != nil {
            try gather(table, number: number, after: sequence, into: &rows)
        }
        return rows
    }

    private func gather(_ table: Int, number: Int64, after sequence: Int64, into rows: inout [RowKey: ChangedRow]) throws {
        let columns = layout.tables[table].columns
        let references = columns.indices.filter { columns[$0].referencedTable != nil }
        let words = (0..<CaptureDefinition.wordCount(columns: columns.count)).map { "o.m\($0)" }
        let terms = ["c.row", "c.kind"] + words + references.map { "o.c\($0)" }
        try connection.forEachRow(
            """
            SELECT \(terms.joined(separator: ", ")) FROM _sluice_change AS c LEFT JOIN _sluice_old_\(number) AS o ON o.seq = c.seq
            WHERE c.seq > ? AND c.tbl = ?
            """, [.integer(sequence), .integer(number)]
        ) { statement in
            var change = rows[RowKey(table: table, key: statement.integer(0))] ?? ChangedRow()
            if statement.integer(1) != ChangeKind.update.rawValue { change.isWhole = true }
            for word in words.indices {
                var mask = statement.integer(Int32(2 + word))
                while mask != 0 {
                    change.columns.insert(word * CaptureDefinition.bitsPerWord + mask.trailingZeroBitCount)
                    mask &= mask - 1
                }
            }
            for (place, column) in references.enumerated() where change.columns.contains(column) || change.isWhole {
                let value = statement.value(Int32(2 + words.count + place))
                if let key = value.integer { change.former[column, default: []].insert(key) }
            }
            rows[RowKey(table: table, key: statement.integer(0))] = change
        }
    }
}
