import SluiceSQLite
package import SluiceSchema

/// One entry of the change log.
package struct LoggedChange: Hashable, Sendable {
    package let sequence: Int64
    package let row: RowKey
    package let kind: ChangeKind
    package let origin: ChangeOrigin
    /// The transaction it was made in; nil for an edit by another program that nobody has looked at yet.
    package let transaction: Int64?
    /// The record name, for deletes.
    package let name: RecordName?
}

extension Store {
    /// The position of the newest change; 0 before the first.
    package func lastChange() throws -> Int64 { try connection.integer("SELECT max(seq) FROM _sluice_change") }

    /// Changes after a position, oldest first.
    package func changes(after sequence: Int64, limit: Int) throws -> [LoggedChange] {
        let tables = Dictionary(uniqueKeysWithValues: tableNumbers.enumerated().map { ($1, $0) })
        return try connection.rows(
            "SELECT seq, tbl, row, kind, origin, txn, id FROM _sluice_change WHERE seq > ? ORDER BY seq LIMIT ?",
            [.integer(sequence), SQLiteValue(limit)]
        ) { statement -> LoggedChange? in
            guard let table = tables[statement.integer(1)], let kind = ChangeKind(rawValue: statement.integer(3)),
                let origin = ChangeOrigin(rawValue: statement.integer(4))
            else { return nil }
            return LoggedChange(
                sequence: statement.integer(0), row: RowKey(table: table, key: statement.integer(2)), kind: kind, origin: origin,
                transaction: statement.isNull(5) ? nil : statement.integer(5), name: RecordName(stored: statement.value(6)))
        }.compactMap { $0 }
    }

    // MARK: Who still needs the log

    /// Records how far a reader of the log has come. The log is pruned to the slowest of them.
    package func setCursor(_ consumer: String, at sequence: Int64) throws {
        try connection.run(
            """
            INSERT INTO _sluice_cursor(consumer, seq) VALUES (?1, ?2)
                ON CONFLICT(consumer) DO UPDATE SET seq = ?2 WHERE seq <> ?2
            """, [.text(consumer), .integer(sequence)])
    }

    /// nil where nobody of that name ever read.
    package func cursor(_ consumer: String) throws -> Int64? {
        try connection.value("SELECT seq FROM _sluice_cursor WHERE consumer = ?", [.text(consumer)])?.integer
    }

    /// Forgets changes that nobody needs any more: older than `milliseconds` since 1970, read by every registered consumer, and
    /// settled by the outbox. Returns how many entries went.
    ///
    /// The newest entry stays, so that positions are never given twice.
    @discardableResult
    package func pruneChanges(before milliseconds: Int64, limit: Int = 50_000) throws -> Int {
        let bound = try connection.integer(
            """
            SELECT min(seq) FROM (
                SELECT max(seq) - 1 AS seq FROM _sluice_change
                UNION ALL SELECT seq FROM _sluice_cursor
                UNION ALL SELECT first - 1 FROM _sluice_pending
                UNION ALL SELECT coalesce((SELECT value FROM _sluice_sync WHERE key = 'drained'), 0)
                UNION ALL SELECT min(c.seq) - 1 FROM _sluice_change c
                    WHERE c.txn >= (SELECT min(txn) FROM _sluice_transaction WHERE at >= ?)
            ) WHERE seq IS NOT NULL
            """, [.integer(milliseconds)])
        guard bound > 0 else { return 0 }
        return try connection.joiningTransaction {
            let last = try connection.integer(
                "SELECT max(seq) FROM (SELECT seq FROM _sluice_change WHERE seq <= ? ORDER BY seq LIMIT ?)",
                [.integer(bound), SQLiteValue(limit)])
            for number in tableNumbers { try connection.run("DELETE FROM _sluice_old_\(number) WHERE seq <= ?", [.integer(last)]) }
            let count = try connection.run("DELETE FROM _sluice_change WHERE seq <= ?", [.integer(last)])
            try connection.run(
                """
                DELETE FROM _sluice_transaction WHERE txn < (SELECT min(txn) FROM _sluice_change)
                    AND txn < (SELECT max(txn) FROM _sluice_transaction)
                """)
            return count
        }
    }
}
