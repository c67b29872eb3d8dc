// The outbox is derived from the change log: draining reads the log from where it last stopped and keeps one row per record. The pending
// changes themselves are in the log from the moment of their own transaction, so that a crash before draining loses nothing, and the
// cursor moves in the transaction that writes what was read.

package import SluiceSQLite
package import SluiceSchema

/// Unsent changes of one record, coalesced.
package struct PendingChange: Sendable {
    package let name: RecordName
    /// Where its row is, or was; nil for a departed record.
    package let row: RowKey?
    /// Set where this device's schema no longer has the record's type.
    package let departed: DepartedRecord?
    /// Log positions of the first and last change; the last one is the version that an acknowledgement must match.
    package let first: Int64
    package let last: Int64
    /// Created here since the service last acknowledged it: every field is sent.
    package let isInserted: Bool
    /// Inserted by an import, or resent: no person's edit stands behind values that no later change touched.
    package let isImported: Bool
    package let isDeleted: Bool
    package let attempts: Int
    /// Whether a frozen operation carries it.
    package let isInFlight: Bool
    /// Whether columns of it were noted as changed (`pendingFields`).
    package let hasFields: Bool
    /// Whether edits of it wait that no column holds (`owedEdits`).
    package let isOwed: Bool
    package let service: RecordState?
}

extension Store {
    /// Tables whose rows are sent, in an order in which referenced tables come first; a cycle is cut anywhere.
    package var tablesToSend: [Int] {
        let synced = layout.tables.indices.filter { table in !layout.entities(in: table).contains(where: \.isLocalOnly) }
        var order: [Int] = []
        var visited: Set<Int> = []
        func visit(_ table: Int) {
            guard visited.insert(table).inserted else { return }
            for name in layout.tables[table].columns.compactMap(\.referencedTable) {
                if let parent = layout.tableIndex(named: name), synced.contains(parent) { visit(parent) }
            }
            order.append(table)
        }
        for table in synced { visit(table) }
        return order
    }

    /// Brings the outbox up to date with the log. Cheap where nothing changed.
    package func drainChanges() throws {
        let from = try syncValue(.drained)?.integer ?? 0
        let to = try lastChange()
        guard to > from else { return }
        try connection.joiningTransaction {
            try adoptForeignEdits(after: from)
            if from == 0, try syncValue(.cut) != nil {
                for table in tablesToSend { try resendAll(in: table) }
            }
            let range: [SQLiteValue] = [.integer(from), .integer(to)]
            let touched = Set(
                try connection.rows(
                    "SELECT DISTINCT tbl FROM _sluice_change WHERE seq > ? AND seq <= ? AND origin IN (0, 2, 3)", range) { $0.integer(0) })
            for table in tablesToSend where touched.contains(tableNumbers[table]) { try drain(table, range: range) }
            try setSyncValue(.integer(to), for: .drained)
        }
    }

    private static let insertedTerm = "max(CASE WHEN c.kind = 0 THEN CASE WHEN c.origin IN (2, 3) THEN 2 ELSE 1 END ELSE 0 END)"

    /// Edits that another program made with plain SQL get a transaction, dated now.
    private func adoptForeignEdits(after sequence: Int64) throws {
        guard try connection.value("SELECT 1 FROM _sluice_change WHERE seq > ? AND txn IS NULL LIMIT 1", [.integer(sequence)]) != nil else {
            return
        }
        let milliseconds = nowMilliseconds
        try connection.run(
            "INSERT INTO _sluice_transaction(at, origin, author) VALUES (?, 0, ?)",
            [.integer(milliseconds), .text(ChangeOrigin.foreignAuthor)])
        try connection.run(
            "UPDATE _sluice_change SET txn = ? WHERE seq > ? AND txn IS NULL",
            [.integer(connection.lastInsertRowID), .integer(sequence)])
    }

    private func drain(_ table: Int, range: [SQLiteValue]) throws {
        let number = tableNumbers[table]
        let within = "c.tbl = \(number) AND c.seq > ?1 AND c.seq <= ?2 AND c.origin IN (0, 2, 3)"
        // Deletes first: a row that is there under the same name again makes the record a save.
        try connection.run(
            """
            INSERT INTO _sluice_pending(id, tbl, row, first, last, inserted, deleted)
                SELECT max(c.id), \(number), c.row, min(c.seq), max(c.seq), \(Self.insertedTerm), 1 FROM _sluice_change c
                WHERE \(within) GROUP BY c.row HAVING max(c.kind) = 2
            ON CONFLICT(id) DO UPDATE SET tbl = excluded.tbl, row = excluded.row, last = excluded.last,
                inserted = max(inserted, excluded.inserted), deleted = 1, failure = NULL, not_before = 0
            """, range)
        try connection.run(
            """
            INSERT INTO _sluice_pending(id, tbl, row, first, last, inserted)
                SELECT t._id, \(number), t._pk, min(c.seq), max(c.seq), \(Self.insertedTerm)
                FROM _sluice_change c JOIN \(layout.tables[table].sql) t ON t._pk = c.row
                WHERE \(within) AND c.kind <> 2 GROUP BY c.row
            ON CONFLICT(id) DO UPDATE SET tbl = excluded.tbl, row = excluded.row, last = excluded.last,
                inserted = max(inserted, excluded.inserted), deleted = 0, failure = NULL, not_before = 0
            """, range)
        try drainFields(table, number: number, within: within, range: range)
        try forgetUnbornRows(table, number: number)
    }

    /// Which columns of which records changed. One statement per column that did.
    private func drainFields(_ table: Int, number: Int64, within: String, range: [SQLiteValue]) throws {
        let words = CaptureDefinition.wordCount(columns: layout.tables[table].columns.count)
        let updates = "_sluice_change c JOIN _sluice_old_\(number) o ON o.seq = c.seq"
        for word in 0..<words {
            var changed: Int64 = 0
            try connection.forEachRow("SELECT DISTINCT o.m\(word) FROM \(updates) WHERE \(within) AND c.kind = 1", range) {
                changed |= $0.integer(0)
            }
            for bit in 0..<CaptureDefinition.bitsPerWord where changed & (1 << Int64(bit)) != 0 {
                try connection.run(
                    """
                    INSERT INTO _sluice_field(id, col, first, last)
                        SELECT t._id, \(word * CaptureDefinition.bitsPerWord + bit), min(c.seq), max(c.seq)
                        FROM \(updates) JOIN \(layout.tables[table].sql) t ON t._pk = c.row
                        WHERE \(within) AND c.kind = 1 AND (o.m\(word) >> \(bit)) & 1 GROUP BY c.row
                    ON CONFLICT(id, col) DO UPDATE SET last = excluded.last, first = CASE first WHEN 0 THEN excluded.first ELSE first END
                    """, range)
            }
        }
    }

    /// A row that a person made and deleted again before anybody heard of it needs no words. A row with an identity may be on the
    /// service under the same name already, and so may an imported one: their deletion is sent.
    private func forgetUnbornRows(_ table: Int, number: Int64) throws {
        guard layout.entities(in: table).allSatisfy({ $0.identity.isEmpty && !$0.isJoin }) else { return }
        let unborn = """
            tbl = \(number) AND deleted = 1 AND inserted = 1 AND operation IS NULL AND attempts = 0 AND reconcile = 0
                AND id NOT IN (SELECT id FROM _sluice_record)
            """
        try connection.run("DELETE FROM _sluice_field WHERE id IN (SELECT id FROM _sluice_pending WHERE \(unborn))")
        try connection.run("DELETE FROM _sluice_pending WHERE \(unborn)")
    }

    // MARK: What waits to be sent

    /// No change is put off for more than this many milliseconds. One whose time is further away was put off by a clock that has been put back
    /// since, and has its time now.
    package static let longestDelay: Int64 = 3_600_000

    /// The condition that a pending change's time has come, for the same moment twice.
    static func isDue(_ column: String) -> String { "(\(column) <= ? OR \(column) > ? + \(longestDelay))" }

    /// Changes that may be sent now, referenced tables first, deletions last with children first, departed records behind all of them.
    package func pendingChanges(limit: Int, at milliseconds: Int64) throws -> [PendingChange] {
        var changes: [PendingChange] = []
        let order = tablesToSend
        // A row goes after what was taken away from it: whoever heard of its end first would take that along.
        for (table, isDeleted) in order.map({ ($0, false) }) + order.reversed().map({ ($0, true) }) where changes.count < limit {
            changes += try connection.rows(
                """
                \(Self.pendingSelection) WHERE p.operation IS NULL AND p.failure IS NULL AND p.reconcile = 0
                    AND p.deleted = ? AND p.tbl = ? AND \(Self.isDue("p.not_before"))\(isDeleted ? rowsLeft(in: table) : "") ORDER BY p.row LIMIT ?
                """,
                [
                    .integer(isDeleted ? 1 : 0), .integer(tableNumbers[table]), .integer(milliseconds), .integer(milliseconds),
                    SQLiteValue(limit - changes.count),
                ], pendingChange
            ).compactMap { $0 }
        }
        if changes.count < limit {
            changes += try connection.rows(
                """
                \(Self.pendingSelection) WHERE p.operation IS NULL AND p.failure IS NULL AND p.reconcile = 0
                    AND p.tbl = 0 AND \(Self.isDue("p.not_before")) ORDER BY p.deleted, p.number LIMIT ?
                """, [.integer(milliseconds), .integer(milliseconds), SQLiteValue(limit - changes.count)], pendingChange
            ).compactMap { $0 }
        }
        return changes
    }

    /// The condition that leaves out rows which unacknowledged changes took other rows away from.
    private func rowsLeft(in table: Int) -> String {
        layout.tables.indices.flatMap { child in
            layout.tables[child].columns.indices.filter { column in
                layout.tables[child].columns[column].referencedTable == layout.tables[table].name
                    && layout.entities(in: child).contains { !$0.isJoin && $0.requiresReference(inColumn: column) }
            }.map { column in
                """

                    AND p.row NOT IN (
                        SELECT o.c\(column) FROM _sluice_pending q JOIN _sluice_field f ON f.id = q.id AND f.col = \(column)
                            JOIN _sluice_old_\(tableNumbers[child]) o ON o.seq = f.first
                        WHERE q.tbl = \(tableNumbers[child]) AND q.deleted = 0 AND q.failure IS NULL AND o.c\(column) IS NOT NULL)
                """
            }
        }.joined()
    }

    /// Unsent changes of one record, in flight or not.
    package func pendingChange(of name: RecordName) throws -> PendingChange? {
        try connection.firstRow("\(Self.pendingSelection) WHERE p.id = ?", [name.stored], pendingChange) ?? nil
    }

    static let pendingColumns = """
        p.id, p.tbl, p.row, p.first, p.last, p.inserted, p.deleted, p.attempts, r.tag, r.wire_name, r.meta, r.extra, r.id IS NULL,
            p.operation IS NOT NULL, d.type, d.by_stage, EXISTS (SELECT 1 FROM _sluice_field f WHERE f.id = p.id),
            EXISTS (SELECT 1 FROM _sluice_owed o WHERE o.id = p.id)
        """
    static let pendingJoins = "LEFT JOIN _sluice_record r ON r.id = p.id LEFT JOIN _sluice_departed d ON p.tbl = 0 AND d.id = p.id"
    private static let pendingSelection = "SELECT \(pendingColumns) FROM _sluice_pending p \(pendingJoins)"

    private func pendingChange(_ statement: Statement) -> PendingChange? { pendingChange(statement, from: 0) }

    /// - Parameter column: where `pendingColumns` begin.
    func pendingChange(_ statement: Statement, from column: Int32) -> PendingChange? {
        guard let name = RecordName(stored: statement.value(column)) else { return nil }
        func integer(_ offset: Int32) -> Int64 { statement.integer(column + offset) }
        let row = tableNumbers.firstIndex(of: integer(1)).map { RowKey(table: $0, key: integer(2)) }
        let departed = statement.value(column + 14).text.map { DepartedRecord(type: $0, isDeletedByStage: integer(15) == 1) }
        guard row != nil || departed != nil else { return nil }
        return PendingChange(
            name: name, row: row, departed: departed, first: integer(3), last: integer(4), isInserted: integer(5) > 0, isImported: integer(5) == 2,
            isDeleted: integer(6) == 1, attempts: Int(integer(7)), isInFlight: integer(13) == 1, hasFields: integer(16) == 1, isOwed: integer(17) == 1,
            service: integer(12) == 1 ? nil : RecordState(statement, from: column + 8))
    }

    /// The columns that a pending update changed, with the log positions of each one's first and last change.
    package func pendingFields(of name: RecordName) throws -> [Int: (first: Int64, last: Int64)] {
        let rows = try connection.rows("SELECT col, first, last FROM _sluice_field WHERE id = ?", [name.stored]) {
            (Int($0.integer(0)), (first: $0.integer(1), last: $0.integer(2)))
        }
        return Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }

    /// What a column held before the change at `sequence`.
    package func oldValue(table: Int, column: Int, at sequence: Int64) throws -> SQLiteValue? {
        try connection.value("SELECT c\(column) FROM _sluice_old_\(tableNumbers[table]) WHERE seq = ?", [.integer(sequence)])
    }

    /// When the change at `sequence` was made, in milliseconds since 1970.
    package func stamp(at sequence: Int64) throws -> Int64 {
        try connection.integer(
            "SELECT t.at FROM _sluice_change c JOIN _sluice_transaction t ON t.txn = c.txn WHERE c.seq = ?", [.integer(sequence)])
    }

    /// Whether a pending deletion was made by the code of a migration's stage. One that is only sent again is not: it has no row.
    package func isDeletedByStage(_ pending: PendingChange) throws -> Bool {
        guard let row = pending.row else { return pending.departed?.isDeletedByStage ?? false }
        return try connection.value(
            "SELECT 1 FROM _sluice_change WHERE seq = ? AND origin = 3 AND kind = 2 AND tbl = ? AND row = ?",
            [.integer(pending.last), .integer(tableNumbers[row.table]), .integer(row.key)]) != nil
    }

    /// When a person last changed a column within a range of changes; 0 where only imports and stages did. What a stage made of a person's
    /// edit is as old as that edit.
    package func editStamp(of column: Int, in row: RowKey, from first: Int64, through last: Int64) throws -> Int64 {
        let stamp = try editStamp(at: last)
        guard stamp == 0, first > 0, first < last else { return stamp }
        let number = tableNumbers[row.table]
        let (word, bit) = column.quotientAndRemainder(dividingBy: CaptureDefinition.bitsPerWord)
        return try connection.integer(
            """
            SELECT t.at FROM _sluice_change c JOIN _sluice_old_\(number) o ON o.seq = c.seq JOIN _sluice_transaction t ON t.txn = c.txn
                WHERE c.seq BETWEEN ? AND ? AND c.tbl = ? AND c.row = ? AND c.kind = 1 AND c.origin = 0 AND (o.m\(word) >> \(bit)) & 1
                ORDER BY c.seq DESC LIMIT 1
            """, [.integer(first), .integer(last), .integer(number), .integer(row.key)])
    }

    /// The same, where a person made it; 0 for what an import or a migration wrote and for what follows from another record's end.
    package func editStamp(at sequence: Int64) throws -> Int64 {
        try connection.integer(
            "SELECT t.at FROM _sluice_change c JOIN _sluice_transaction t ON t.txn = c.txn WHERE c.seq = ? AND c.origin = 0",
            [.integer(sequence)])
    }
}
