package import SluiceSchema
import SluiceSQLite

/// How much waits, for status.
package struct OutboxSummary: Hashable, Sendable {
    /// Records with unsent changes, those set aside not counted; rows whose changes the outbox has not seen yet are counted up to 10,000.
    package var pendingCount: Int
    package var setAsideCount: Int
    package var inboxCount: Int
    package var parkedCount: Int
    package var frozenCount: Int
    /// When the oldest unsent change was made, in milliseconds since 1970.
    package var oldestChange: Int64?
    /// When the next record that waits for its time may be sent, in milliseconds since 1970; nil where none waits.
    package var nextAttempt: Int64?
    /// Whether anything may be sent at once.
    package var hasSendable: Bool
}

/// A record that the service refused for good.
package struct SetAsideRecord: Hashable, Sendable {
    package let name: RecordName
    /// Its table, or its type on the wire where this device's schema no longer has it.
    package let table: String
    package let reason: String
}

extension Store {
    package func outboxSummary(at milliseconds: Int64) throws -> OutboxSummary {
        func count(_ sql: String) throws -> Int { Int(try connection.integer(sql)) }
        let undrained = try connection.integer(
            """
            SELECT count(*) FROM (SELECT DISTINCT tbl, row FROM _sluice_change
                WHERE seq > coalesce((SELECT value FROM _sluice_sync WHERE key = 'drained'), 0) AND origin IN (0, 2, 3) LIMIT 10000)
            """)
        let oldest = try connection.value("SELECT min(first) FROM _sluice_pending WHERE failure IS NULL")?.integer
        let isDue = Self.isDue("not_before")
        let waiting = "operation IS NULL AND failure IS NULL AND reconcile = 0"
        return OutboxSummary(
            pendingCount: try count("SELECT count(*) FROM _sluice_pending WHERE failure IS NULL") + Int(undrained),
            setAsideCount: try count("SELECT count(*) FROM _sluice_pending WHERE failure IS NOT NULL"),
            inboxCount: try count("SELECT count(*) FROM _sluice_inbox WHERE parked = 0"),
            parkedCount: try count("SELECT count(*) FROM _sluice_inbox WHERE parked = 1"),
            frozenCount: try count("SELECT count(*) FROM _sluice_operation"),
            oldestChange: try oldest.map { try stamp(at: $0) }.flatMap { $0 > 0 ? $0 : nil },
            nextAttempt: try connection.value(
                "SELECT min(not_before) FROM _sluice_pending WHERE \(waiting) AND NOT \(isDue)", [.integer(milliseconds), .integer(milliseconds)])?.integer,
            hasSendable: try connection.value(
                "SELECT 1 FROM _sluice_pending WHERE \(waiting) AND \(isDue) LIMIT 1", [.integer(milliseconds), .integer(milliseconds)]) != nil)
    }

    package func setAsideRecords(limit: Int) throws -> [SetAsideRecord] {
        try connection.rows(
            """
            SELECT p.id, p.tbl, p.failure, d.type FROM _sluice_pending p LEFT JOIN _sluice_departed d ON p.tbl = 0 AND d.id = p.id
                WHERE p.failure IS NOT NULL ORDER BY p.number LIMIT ?
            """, [SQLiteValue(limit)]
        ) { statement in
            let table = tableNumbers.firstIndex(of: statement.integer(1)).map { layout.tables[$0].name } ?? statement.value(3).text
            guard let name = RecordName(stored: statement.value(0)), let table else { return nil }
            return SetAsideRecord(name: name, table: table, reason: statement.text(2))
        }.compactMap { $0 }
    }

    /// Keeps a pending record out of every operation until a person, or a new edit, lets it go again.
    package func setAside(_ name: RecordName, reason: String) throws {
        try connection.run("UPDATE _sluice_pending SET operation = NULL, reconcile = 0, failure = ? WHERE id = ?", [.text(reason), name.stored])
    }

    /// Lets a record that was set aside be sent again; all of them where none is named.
    /// - Returns: how many there were.
    @discardableResult
    package func retry(_ name: RecordName?) throws -> Int {
        try connection.run(
            "UPDATE _sluice_pending SET failure = NULL, not_before = 0 WHERE failure IS NOT NULL AND (?1 IS NULL OR id = ?1)",
            [name?.stored ?? .null])
    }
}
