package import SluiceSQLite

extension LogReader {
    /// Lends the values of a row at its deletion: a statement with `columns` of the table, in that order. `body` runs at most once; not
    /// at all where the log has no values for the entry.
    package func readDeletedRow(table: Int, columns: [Int], at sequence: Int64, _ body: (Statement) throws -> Void) throws {
        let selected = columns.isEmpty ? "seq" : columns.map { "c\($0)" }.joined(separator: ", ")
        try connection.forEachRow("SELECT \(selected) FROM _sluice_old_\(numbers[table]) WHERE seq = ?", [.integer(sequence)], body)
    }
}
