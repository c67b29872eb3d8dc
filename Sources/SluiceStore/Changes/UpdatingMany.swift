// An update of many rows inside a migration. Its triggers would take several times as long as the update: a subprogram for each row, which
// finds the ends of two tables anew each time. What they would log is known before the rows change, though, and goes into the log as a set.
//
// Outside migrations the triggers stay: there a caller may catch the error of an update that failed and go on, and what was logged of it
// would be committed. A migration whose write failed never commits.

package import SluiceSQLite
import SluiceSchema

/// One UPDATE of a table, taken apart. The row is called `t` in each part.
///
/// A row gives the same values each time: they are worked out more than once.
package struct ManyRowsUpdate {
    /// A part of a statement, with the values of its placeholders.
    package struct Part {
        let sql: String
        let values: [SQLiteValue]

        package init(_ sql: String, _ values: [SQLiteValue] = []) {
            self.sql = sql
            self.values = values
        }
    }

    /// A column of the table that gets another value.
    package struct Change {
        let column: Int
        let value: Part

        package init(column: Int, value: Part) {
            self.column = column
            self.value = value
        }
    }

    let table: Int
    let changes: [Change]
    /// Where the values come from besides the row itself: ` JOIN …`, or nothing.
    let join: String
    /// Which rows: ` WHERE …`, which can be followed by `AND`, or nothing.
    let condition: Part
    /// Whether it costs little to work the condition and the values out again.
    let repeats: Bool
    /// The UPDATE itself.
    let statement: Part

    package init(table: Int, changes: [Change], join: String = "", condition: Part = Part(""), repeats: Bool = true, statement: Part) {
        self.repeats = repeats
        self.table = table
        self.changes = changes
        self.join = join
        self.condition = condition
        self.statement = statement
    }
}

extension Store {
    /// Inside a write transaction: runs an update of many rows. The log gets what the triggers would have written, in the order of keys.
    /// - Returns: how many rows the update was about.
    package func updateMany(_ update: ManyRowsUpdate) throws -> Int {
        guard try logsTogether(update) else { return try connection.run(update.statement.sql, update.statement.values) }
        try UpdateLog(update, layout: layout.tables[update.table], number: tableNumbers[update.table]).write(on: connection)
        var count = 0
        try connection.withoutTriggers { count = try connection.run(update.statement.sql, update.statement.values) }
        return count
    }

    /// Whether nobody but our capture hears of what the update does: no trigger of a person's, and no foreign key of theirs that follows a
    /// column which changes.
    func logsTogether(_ update: ManyRowsUpdate) throws -> Bool {
        guard fixedOrigin != nil, capturesChanges, update.repeats, !update.changes.isEmpty else { return false }
        let table = layout.tables[update.table]
        let found = try connection.rows(
            "SELECT sql FROM main.sqlite_master WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE", [.text(table.name)]
        ) { $0.text(0) }
        guard Set(found) == Set(CaptureDefinition(layout: table, number: tableNumbers[update.table]).triggers) else { return false }
        let followed = try connection.rows(
            """
            SELECT f."to" FROM main.sqlite_master AS m, pragma_foreign_key_list(m.name, 'main') AS f
                WHERE m.type = 'table' AND f."table" = ? COLLATE NOCASE AND f."to" IS NOT NULL
            """, [.text(table.name)]) { $0.text(0).lowercased() }
        return followed.isEmpty || !update.changes.contains { followed.contains(table.columns[$0.column].name.lowercased()) }
    }
}

/// What the triggers of capture would write of an update.
private struct UpdateLog {
    private let update: ManyRowsUpdate
    private let layout: TableLayout
    private let number: Int64
    private let changes: [ManyRowsUpdate.Change]

    init(_ update: ManyRowsUpdate, layout: TableLayout, number: Int64) {
        self.update = update
        self.layout = layout
        self.number = number
        changes = update.changes.sorted { $0.column < $1.column }
    }

    func write(on connection: Connection) throws {
        let last = try connection.integer("SELECT max(seq) FROM _sluice_change")
        let rows = rows()
        let count = try connection.run(
            """
            INSERT INTO _sluice_change(txn, tbl, row, kind, origin, id)
                SELECT (SELECT txn FROM _sluice_capture), \(number), t._pk, \(ChangeKind.update.rawValue),
                    (SELECT origin FROM _sluice_capture), NULL \(rows.sql)
            """, rows.values)
        guard count > 0 else { return }
        try continuing(after: last, expecting: count, on: connection) {
            let terms = words.map(mask) + changes.map(oldValue)
            let names = words.map { "m\($0)" } + changes.map { "c\($0.column)" }
            return try connection.run(
                """
                INSERT INTO \(old)(\(names.joined(separator: ", ")))
                    SELECT \(terms.map(\.sql).joined(separator: ", ")) \(rows.sql)
                """, terms.flatMap(\.values) + rows.values)
        }
    }

    private var old: String { "_sluice_old_\(number)" }
    private var words: Range<Int> { 0..<CaptureDefinition.wordCount(columns: layout.columns.count) }

    /// The rows that get another value, in the order of their keys.
    private func rows() -> ManyRowsUpdate.Part {
        let changed = changes.map(difference)
        let chosen = update.condition.sql.isEmpty ? " WHERE" : "\(update.condition.sql) AND"
        return ManyRowsUpdate.Part(
            """
            FROM main.\(layout.sql) AS t\(update.join)\(chosen) (\(changed.map(\.sql).joined(separator: " OR "))) ORDER BY t._pk
            """, update.condition.values + changed.flatMap(\.values))
    }

    /// Has the rows that `body` adds to the old values go with the entries after `last`: SQLite numbers rows from the greatest number there
    /// is. To number them by a join with the entries takes as long again as writing them.
    private func continuing(
        after last: Int64, expecting count: Int, on connection: Connection, _ body: () throws -> Int
    ) throws {
        let names = words.map { "m\($0)" }.joined(separator: ", ")
        let zeros = words.map { _ in "0" }.joined(separator: ", ")
        let isMarked = try connection.run("INSERT OR IGNORE INTO \(old)(seq, \(names)) VALUES (?, \(zeros))", [.integer(last)]) > 0
        let written = try body()
        let end = try connection.integer("SELECT max(seq) FROM \(old)")
        guard try written == count && end == connection.integer("SELECT max(seq) FROM _sluice_change") else {
            throw StoreError.damaged(
                path: connection.path, faults: ["\(old) does not go with the change log: an update of \(layout.name) was logged otherwise"])
        }
        if isMarked { try connection.run("DELETE FROM \(old) WHERE seq = ?", [.integer(last)]) }
    }

    /// Whether the column gets another value. The plus takes a column's affinity from the new one, so that it is compared as what it will
    /// be in its place.
    private func difference(_ change: ManyRowsUpdate.Change) -> ManyRowsUpdate.Part {
        ManyRowsUpdate.Part("(t.\(layout.columns[change.column].sql) IS NOT +(\(change.value.sql)))", change.value.values)
    }

    /// A word of the mask. Where one column changes, it did so in every row that is logged.
    private func mask(_ word: Int) -> ManyRowsUpdate.Part {
        let own = changes.filter { $0.column / CaptureDefinition.bitsPerWord == word }
        guard !own.isEmpty else { return ManyRowsUpdate.Part("0") }
        func bit(_ change: ManyRowsUpdate.Change) -> Int { change.column % CaptureDefinition.bitsPerWord }
        if changes.count == 1 { return ManyRowsUpdate.Part("\(Int64(1) << Int64(bit(own[0])))") }
        return ManyRowsUpdate.Part(
            own.map { "(\(difference($0).sql) << \(bit($0)))" }.joined(separator: " | "), own.flatMap { difference($0).values })
    }

    private func oldValue(_ change: ManyRowsUpdate.Change) -> ManyRowsUpdate.Part {
        let old = "t.\(layout.columns[change.column].sql)"
        guard changes.count > 1 else { return ManyRowsUpdate.Part(old) }
        let difference = difference(change)
        return ManyRowsUpdate.Part("CASE WHEN \(difference.sql) THEN \(old) END", difference.values)
    }
}
