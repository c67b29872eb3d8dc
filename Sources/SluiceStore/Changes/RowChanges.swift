// What one transaction did, row by row. Several entries of one row are one change: an insert that was then updated is an insert, one that
// was then deleted is nothing. Pairs of many-to-many relationships are no rows to anybody: they become updates of the rows at both ends.
// The same goes for a to-many without an inverse, whose members carry a column that no class declares.

package import SluiceSchema
import SluiceSQLite

/// What a transaction did to one row.
package struct RowChange: Sendable {
    package let row: RowKey
    /// The row's own entity; that of its table where the log does not say (a row of a hierarchy deleted before the log kept it).
    package let entity: String
    package let kind: ChangeKind
    /// The last entry of the row in the transaction.
    package let sequence: Int64
    /// For updates: the columns that changed, in the order of the table.
    package let columns: [Int]
    /// For updates: relationships whose members changed, which no column of the row tells.
    package let relationships: [String]
}

extension LogReader {
    /// The changes of a transaction, in the order in which rows were first touched.
    package func changes(in transaction: LoggedTransaction) throws -> [RowChange] {
        var drafts = Drafts()
        let tables = Dictionary(numbers.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        try connection.forEachRow(
            "SELECT seq, tbl, row, kind FROM _sluice_change WHERE seq BETWEEN ? AND ? ORDER BY seq",
            [.integer(transaction.first), .integer(transaction.last)]
        ) { entry in
            guard let table = tables[entry.integer(1)], let kind = ChangeKind(rawValue: entry.integer(3)) else { return }
            drafts.note(kind, of: RowKey(table: table, key: entry.integer(2)), at: entry.integer(0))
        }
        for table in drafts.tables(having: .update) { try noteColumns(table, in: transaction, &drafts) }
        try notePairs(in: transaction, &drafts)
        try noteOwners(in: transaction, &drafts)
        let entities = try entities(of: drafts.rows, from: transaction.first)
        return drafts.entries.compactMap { draft in
            guard let kind = draft.kind, !isPair(draft.row.table), let entity = entities[draft.row] else { return nil }
            let isUpdate = kind == .update
            return RowChange(
                row: draft.row, entity: entity, kind: kind, sequence: draft.sequence, columns: isUpdate ? draft.columns.sorted() : [],
                relationships: isUpdate ? draft.relationships.sorted() : [])
        }
    }

    private func noteColumns(_ table: Int, in transaction: LoggedTransaction, _ drafts: inout Drafts) throws {
        let words = CaptureDefinition.wordCount(columns: layout.tables[table].columns.count)
        let masks = (0..<words).map { "o.m\($0)" }.joined(separator: ", ")
        try connection.forEachRow(
            """
            SELECT c.row, \(masks) FROM _sluice_change c JOIN _sluice_old_\(numbers[table]) o ON o.seq = c.seq
                WHERE c.seq BETWEEN ? AND ? AND c.tbl = ? AND c.kind = 1
            """, [.integer(transaction.first), .integer(transaction.last), .integer(numbers[table])]
        ) { row in
            for word in 0..<words {
                var mask = row.integer(Int32(word + 1))
                while mask != 0 {
                    let column = word * CaptureDefinition.bitsPerWord + mask.trailingZeroBitCount
                    drafts.noteColumn(column, of: RowKey(table: table, key: row.integer(0)))
                    mask &= mask - 1
                }
            }
        }
    }

    func isPair(_ table: Int) -> Bool { layout.entities[layout.tables[table].name]?.isJoin ?? false }

    // MARK: Entities

    /// The entity of each row, those that are gone included.
    private func entities(of rows: [RowKey], from sequence: Int64) throws -> [RowKey: String] {
        var entities: [RowKey: String] = [:]
        for (table, group) in Dictionary(grouping: rows, by: \.table) {
            let layout = layout.tables[table]
            for row in group { entities[row] = layout.name }
            guard layout.isHierarchy else { continue }
            var missing = Set(group.map(\.key))
            for part in parts(of: group.map(\.key)) {
                try connection.forEachRow("SELECT _pk, _entity FROM \(layout.sql) WHERE _pk IN (\(part.list))", part.values) {
                    entities[RowKey(table: table, key: $0.integer(0))] = $0.text(1)
                    missing.remove($0.integer(0))
                }
            }
            try noteDeletedEntities(missing, table: table, from: sequence, &entities)
        }
        return entities
    }

    private func noteDeletedEntities(_ keys: Set<Int64>, table: Int, from sequence: Int64, _ entities: inout [RowKey: String]) throws {
        guard !keys.isEmpty, try keepsEntity(table) else { return }
        for part in parts(of: keys.sorted()) {
            try connection.forEachRow(
                """
                SELECT c.row, o.entity FROM _sluice_change c JOIN _sluice_old_\(numbers[table]) o ON o.seq = c.seq
                    WHERE c.seq >= ? AND c.tbl = ? AND c.kind = 2 AND o.entity IS NOT NULL AND c.row IN (\(part.list))
                """, [.integer(sequence), .integer(numbers[table])] + part.values
            ) { entities[RowKey(table: table, key: $0.integer(0))] = $0.text(1) }
        }
    }

    /// Stores that are older than the column do not say which class a deleted row was of.
    private func keepsEntity(_ table: Int) throws -> Bool {
        try connection.integer("SELECT count(*) FROM pragma_table_info('_sluice_old_\(numbers[table])') WHERE name = 'entity'") == 1
    }

    func parts(of keys: [Int64]) -> [(list: String, values: [SQLiteValue])] {
        stride(from: 0, to: keys.count, by: 500).map { start in
            let part = keys[start..<min(start + 500, keys.count)]
            return (SQLText.placeholders(part.count), part.map(SQLiteValue.integer))
        }
    }
}

/// Rows of one transaction while its entries are read.
struct Drafts {
    struct Draft {
        let row: RowKey
        /// nil: nothing remains of it.
        var kind: ChangeKind?
        var sequence: Int64
        var columns: Set<Int> = []
        var relationships: Set<String> = []
    }

    private(set) var entries: [Draft] = []
    private var places: [RowKey: Int] = [:]

    var rows: [RowKey] { entries.filter { $0.kind != nil }.map(\.row) }

    func tables(having kind: ChangeKind) -> [Int] { Set(entries.filter { $0.kind == kind }.map(\.row.table)).sorted() }

    func kind(of row: RowKey) -> ChangeKind? { places[row].flatMap { entries[$0].kind } }

    mutating func note(_ kind: ChangeKind, of row: RowKey, at sequence: Int64) {
        guard let place = places[row], !(entries[place].kind == .delete && kind == .insert) else {
            // Under a key that was just deleted stands another row now.
            places[row] = entries.count
            entries.append(Draft(row: row, kind: kind, sequence: sequence))
            return
        }
        entries[place].sequence = sequence
        switch (entries[place].kind, kind) {
        case (.insert, .update): break
        case (.insert, .delete): entries[place].kind = nil
        case (nil, _), (.update, _), (.delete, _), (.insert, .insert): entries[place].kind = kind
        }
    }

    mutating func noteColumn(_ column: Int, of row: RowKey) {
        if let place = places[row] { entries[place].columns.insert(column) }
    }

    /// A row is updated though no column of its own is: its members changed.
    mutating func noteMembers(_ relationship: String, of row: RowKey, at sequence: Int64) {
        if places[row] == nil {
            places[row] = entries.count
            entries.append(Draft(row: row, kind: .update, sequence: sequence))
        }
        if let place = places[row] { entries[place].relationships.insert(relationship) }
    }
}
