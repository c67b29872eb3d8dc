// What goes into the outbox though nobody edited it, and what has to be looked up before it is sent.

import SluiceSQLite
package import SluiceSchema

extension Store {
    // MARK: Sending again

    /// Puts every row of a table into the outbox, for a service that lost them. Changes that wait already keep their place.
    package func resendAll(in table: Int) throws {
        let position = try lastChange()
        try connection.run(
            """
            INSERT INTO _sluice_pending(id, tbl, row, first, last, inserted)
                SELECT _id, ?1, _pk, ?2, ?2, 2 FROM \(layout.tables[table].sql) WHERE true
            ON CONFLICT(id) DO UPDATE SET inserted = CASE deleted WHEN 0 THEN max(inserted, 2) ELSE inserted END,
                reconcile = 0, failure = NULL
            """, [.integer(tableNumbers[table]), .integer(position)])
    }

    /// Puts every known deletion into the outbox.
    package func resendTombstones() throws {
        let position = try lastChange()
        try connection.run(
            """
            INSERT INTO _sluice_pending(id, tbl, row, first, last, deleted)
                SELECT id, tbl, 0, ?1, ?1, 1 FROM _sluice_tombstone WHERE true ON CONFLICT(id) DO NOTHING
            """, [.integer(position)])
    }

    /// Puts some columns of a row into the outbox, with nobody's edit behind them.
    package func resend(_ columns: [Int], of name: RecordName, row: RowKey) throws {
        let position = try lastChange()
        try leaveOperation(name)
        try connection.run(
            """
            INSERT INTO _sluice_pending(id, tbl, row, first, last) VALUES (?1, ?2, ?3, ?4, ?4)
                ON CONFLICT(id) DO UPDATE SET last = max(last, excluded.last)
            """, [name.stored, .integer(tableNumbers[row.table]), .integer(row.key), .integer(position)])
        for column in columns {
            try connection.run(
                "INSERT INTO _sluice_field(id, col, first, last) VALUES (?, ?, 0, 0) ON CONFLICT DO NOTHING", [name.stored, SQLiteValue(column)])
        }
    }

    /// Puts a column of every row that has a value there into the outbox, with nobody's edit behind it.
    package func resend(column: Int, table: Int) throws {
        let these = "FROM \(layout.tables[table].sql) WHERE \(layout.tables[table].columns[column].sql) IS NOT NULL"
        // What is on its way does not carry it, so the answer to that says nothing of it.
        let flying = try connection.rows("SELECT id FROM _sluice_pending WHERE operation IS NOT NULL AND id IN (SELECT _id \(these))") {
            RecordName(stored: $0.value(0))
        }
        for name in flying.compactMap({ $0 }) { try leaveOperation(name) }
        let position = try lastChange()
        try connection.run(
            """
            INSERT INTO _sluice_pending(id, tbl, row, first, last) SELECT _id, ?1, _pk, ?2, ?2 \(these)
                ON CONFLICT(id) DO UPDATE SET last = max(last, excluded.last)
            """, [.integer(tableNumbers[table]), .integer(position)])
        try connection.run(
            "INSERT INTO _sluice_field(id, col, first, last) SELECT _id, ?1, 0, 0 \(these) ON CONFLICT DO NOTHING", [SQLiteValue(column)])
    }

    /// Puts one deletion into the outbox.
    package func resendDeletion(of name: RecordName, table: Int) throws {
        let position = try lastChange()
        try connection.run(
            """
            INSERT INTO _sluice_pending(id, tbl, row, first, last, deleted) VALUES (?1, ?2, 0, ?3, ?3, 1)
                ON CONFLICT(id) DO NOTHING
            """, [name.stored, .integer(tableNumbers[table]), .integer(position)])
    }

    // MARK: Reconciling

    /// Records whose version on the service must be looked up before they are sent.
    package func recordsToReconcile(limit: Int) throws -> [RecordName] {
        try connection.rows("SELECT id FROM _sluice_pending WHERE reconcile > 0 ORDER BY number LIMIT ?", [SQLiteValue(limit)]) {
            RecordName(stored: $0.value(0))
        }.compactMap { $0 }
    }

    package func awaitsLookup(_ name: RecordName) throws -> Bool {
        try connection.value("SELECT 1 FROM _sluice_pending WHERE id = ? AND reconcile > 0", [name.stored]) != nil
    }

    /// Notes that a lookup did not find the record. Returns whether one before it did not either.
    package func noteAbsence(of name: RecordName) throws -> Bool {
        let before = try connection.integer("SELECT reconcile FROM _sluice_pending WHERE id = ?", [name.stored])
        try connection.run("UPDATE _sluice_pending SET reconcile = 2 WHERE id = ?", [name.stored])
        return before == 2
    }

    package func markReconciled(_ name: RecordName) throws {
        try connection.run("UPDATE _sluice_pending SET reconcile = 0, not_before = 0 WHERE id = ?", [name.stored])
    }
}
