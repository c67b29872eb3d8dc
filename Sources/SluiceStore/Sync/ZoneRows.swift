// The outbox after the zone that the rows belonged to was deleted. "Not seen" is what the full fetch of that number did not meet: it belonged to
// the old zone, or was never sent.

import SluiceSQLite
package import SluiceSchema

extension Store {
    private static let isNotSeen = "id NOT IN (SELECT id FROM _sluice_record WHERE seen >= ?1)"

    /// Takes deletions off the outbox.
    package func forgetDeletions(notSeenBy fetch: Int64) throws {
        let these = "deleted = 1 AND \(Self.isNotSeen)"
        let number: [SQLiteValue] = [.integer(fetch)]
        try connection.run("DELETE FROM _sluice_field WHERE id IN (SELECT id FROM _sluice_pending WHERE \(these))", number)
        try connection.run("DELETE FROM _sluice_record WHERE id IN (SELECT id FROM _sluice_pending WHERE \(these))", number)
        try connection.run("DELETE FROM _sluice_pending WHERE \(these)", number)
    }

    /// Puts what unsent rows refer to into the outbox with them, and what that refers to.
    package func keepReferences(notSeenBy fetch: Int64) throws {
        let position = try lastChange()
        var isGrowing = true
        while isGrowing {
            isGrowing = false
            for child in tablesToSend {
                for column in layout.tables[child].columns {
                    guard let name = column.referencedTable, let parent = layout.tableIndex(named: name), tablesToSend.contains(parent) else { continue }
                    let count = try connection.run(
                        """
                        INSERT INTO _sluice_pending(id, tbl, row, first, last, inserted)
                            SELECT p._id, ?2, p._pk, ?3, ?3, 2 FROM \(layout.tables[parent].sql) p
                            WHERE p._pk IN (SELECT c.\(column.sql) FROM _sluice_pending u JOIN \(layout.tables[child].sql) c ON c._pk = u.row
                                    WHERE u.tbl = ?4 AND u.deleted = 0)
                                AND NOT EXISTS (SELECT 1 FROM _sluice_record s WHERE s.id = p._id AND s.seen >= ?1)
                        ON CONFLICT(id) DO NOTHING
                        """,
                        [.integer(fetch), .integer(tableNumbers[parent]), .integer(position), .integer(tableNumbers[child])])
                    if count > 0 { isGrowing = true }
                }
            }
        }
    }

    /// Calls `body` for each record of a table that was not seen and that nothing waits of. It may remove what is kept of that record.
    package func forEachUnwantedRecord(in table: Int, notSeenBy fetch: Int64, _ body: (RecordName) throws -> Void) throws {
        let batch = 500
        var last: SQLiteValue = .null
        while true {
            let page = try connection.rows(
                """
                SELECT id FROM _sluice_record WHERE tbl = ?1 AND seen < ?2 AND (?3 IS NULL OR id > ?3)
                    AND NOT EXISTS (SELECT 1 FROM _sluice_pending p WHERE p.id = _sluice_record.id) ORDER BY id LIMIT ?4
                """, [.integer(tableNumbers[table]), .integer(fetch), last, SQLiteValue(batch)]) { $0.value(0) }
            for id in page { if let name = RecordName(stored: id) { try body(name) } }
            guard let end = page.last, page.count == batch else { return }
            last = end
        }
    }

    /// What is still to be sent is sent as new records.
    package func restartPending(notSeenBy fetch: Int64) throws {
        try connection.run("UPDATE _sluice_record SET tag = NULL WHERE seen < ?", [.integer(fetch)])
        // Of a departed record all that is known is sent.
        try connection.run(
            """
            UPDATE _sluice_pending SET inserted = max(inserted, CASE tbl WHEN 0 THEN 2 ELSE 1 END), reconcile = 0, not_before = 0
                WHERE deleted = 0 AND \(Self.isNotSeen)
            """, [.integer(fetch)])
    }

    /// Keeps all that was not sent out of every operation until a person, or a new edit, lets it go again.
    package func setAsidePending(notSeenBy fetch: Int64, reason: String) throws {
        try connection.run("UPDATE _sluice_pending SET failure = ?2 WHERE \(Self.isNotSeen)", [.integer(fetch), .text(reason)])
    }

    /// Takes everything off the outbox.
    package func emptyOutbox() throws {
        for table in ["_sluice_field", "_sluice_pending", "_sluice_record"] { try connection.run("DELETE FROM \(table)") }
    }

    package func forgetTombstones() throws { try connection.run("DELETE FROM _sluice_tombstone") }
}
