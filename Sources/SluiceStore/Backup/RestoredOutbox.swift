// A synced store that is set back to an older state must lose nothing, and bring nothing back.
//
// Its token stays: a pull from there brings everything that was changed and deleted since, by this device too, and that is all it takes. (A
// pull of everything would bring no deletions, and would take for deleted what a service restored from a copy of its own has lost.) What
// the copy says wrongly is what waits to be sent. The newer state, where it can be read, tells:
//
// - What still waits there waits here. It is looked up first if it was on its way.
// - What does not wait there any more was sent, and maybe changed again or deleted since: it is forgotten here, and the pull brings what
//   became of it. (Unless it was deleted there before it was ever sent: then it is sent now.) A record that the copy holds for never
//   acknowledged gets a tag that no version has, so that it counts as one the service knows.
//
// Where the newer state is lost, or is no later state of the copy, what waits may have been sent or not. It is sent, but as an import is:
// any edit of a person wins over it, a tombstone of its name ends it.
//
// In both cases frozen operations are given up and their members looked up: the service may have forgotten their outcome. And the store
// gets another device identity: its operation numbers begin before those that the service has seen.

import SluiceSQLite
import SluiceSchema

/// What waits to be sent in a store that was set back. Inside one transaction.
struct RestoredOutbox {
    let store: Store
    /// A later state of the same history.
    let continuation: Connection?
    /// What is in the place that the store is to take.
    let replaced: Connection?

    private var connection: Connection { store.connection }

    /// A change tag that no version of a record has.
    static let tag = "restored"

    static func isSynced(_ store: Store) throws -> Bool {
        guard store.capturesChanges else { return false }
        return try [SyncKey.drained, .service, .token].contains { key in try store.syncValue(key) ?? .null != .null }
    }

    /// Records with changes after a position that wait to be sent.
    static func unsentCount(in connection: Connection, after position: Int64) throws -> Int {
        guard try connection.integer("SELECT count(*) FROM sqlite_master WHERE name = '_sluice_pending'") == 1 else { return 0 }
        return Int(
            try connection.integer(
                """
                SELECT count(*) FROM (
                    SELECT tbl, CASE tbl WHEN 0 THEN id ELSE row END FROM _sluice_pending WHERE last > ?1
                    UNION SELECT tbl, row FROM _sluice_change WHERE seq > ?1 AND origin IN (0, 2, 3) AND tbl > 0
                        AND seq > coalesce((SELECT value FROM _sluice_sync WHERE key = 'drained'), 0))
                """, [.integer(position)]))
    }

    func settle() throws {
        // The copy may be from before some of these tables.
        try store.completeSyncTables()
        // What the log has and the outbox has not seen yet waits too.
        try store.drainChanges()
        for number in try store.frozenOperationNumbers() { try store.thaw(number, reconciling: true) }
        if let continuation { try forgetWhatWasSent(continuation) } else { try yieldToEverybody() }
        // What the service has of the copy's edits it has from the device that the copy was made of.
        try store.setSyncValue(.text(formerDevices()), for: .formerDevices)
        try store.setSyncValue(.integer(try store.lastChange()), for: .restoredAt)
        try connection.run("DELETE FROM _sluice_sync WHERE key = ?", [.text(SyncKey.device.rawValue)])
        if let replaced, try RestoredOutbox.hasSyncValues(replaced) {
            // A person's word on the account, not on its rows; and what waits for one goes on waiting.
            for key in [SyncKey.paused, .deletedZone] {
                let value = try replaced.value("SELECT value FROM _sluice_sync WHERE key = ?", [.text(key.rawValue)])
                try store.setSyncValue(value ?? .null, for: key)
            }
        }
    }

    private static let formerDeviceCountMax = 8

    /// The devices whose operations may carry what waits in the copy, the latest first: itself, and what went on from it.
    private func formerDevices() throws -> String {
        var devices: [String] = []
        for connection in try [replaced].compactMap({ $0 }).filter(RestoredOutbox.hasSyncValues) + [connection] {
            for key in [SyncKey.device, .formerDevices] {
                let value = try connection.value("SELECT value FROM _sluice_sync WHERE key = ?", [.text(key.rawValue)])
                devices += (value?.text ?? value?.integer.map { "\($0)" } ?? "").split(separator: ",").map(String.init)
            }
        }
        return devices.prefix(Self.formerDeviceCountMax).joined(separator: ",")
    }

    private static func hasSyncValues(_ connection: Connection) throws -> Bool {
        try connection.integer("SELECT count(*) FROM sqlite_master WHERE name = '_sluice_sync'") == 1
    }

    // MARK: With the newer state

    private struct Waiting {
        let id: SQLiteValue
        let table: Int64
        let last: Int64
        let isDeleted: Bool
    }

    /// The same record in the newer state.
    private struct Later {
        let first: Int64
        let inserted: Int64
        let isInFlight: Bool
    }

    private func forgetWhatWasSent(_ newer: Connection) throws {
        let drained = try newer.integer("SELECT value FROM _sluice_sync WHERE key = ?", [.text(SyncKey.drained.rawValue)])
        let isSameShape = try Store.schema(in: newer).entities == store.layout.schema.entities
        let waiting = try connection.rows(
            "SELECT id, tbl, last, deleted FROM _sluice_pending WHERE first <= ? ORDER BY number", [.integer(drained)]
        ) {
            Waiting(id: $0.value(0), table: $0.integer(1), last: $0.integer(2), isDeleted: $0.integer(3) == 1)
        }
        for record in waiting {
            let later = try newer.firstRow("SELECT first, inserted, operation IS NOT NULL FROM _sluice_pending WHERE id = ?", [record.id]) {
                Later(first: $0.integer(0), inserted: $0.integer(1), isInFlight: $0.integer(2) == 1)
            }
            guard let later, later.first <= record.last else {
                if try record.isDeleted || isKnown(record, newer) { try forget(record) } else { try yield("id = ?", [record.id]) }
                continue
            }
            if later.isInFlight { try connection.run("UPDATE _sluice_pending SET reconcile = 1 WHERE id = ?", [record.id]) }
            guard !record.isDeleted, later.inserted == 0 else { continue }
            // The service has the record; of its fields, those that were sent since are done with.
            try connection.run("UPDATE _sluice_pending SET inserted = 0 WHERE id = ?", [record.id])
            try noteKnown(record)
            if isSameShape { try forgetSentFields(of: record, since: later.first, newer) }
        }
    }

    /// Whether the service had the record: as this copy says, or the newer state. One that was deleted there before it was ever sent is
    /// known to neither.
    private func isKnown(_ record: Waiting, _ newer: Connection) throws -> Bool {
        let tagged = "SELECT 1 FROM _sluice_record WHERE id = ? AND tag IS NOT NULL"
        return try connection.value(tagged, [record.id]) != nil || newer.value(tagged, [record.id]) != nil
            || newer.value("SELECT 1 FROM _sluice_tombstone WHERE id = ?", [record.id]) != nil
    }

    /// - Parameter acknowledged: the first position of the record that the newer state has no acknowledgement of.
    private func forgetSentFields(of record: Waiting, since acknowledged: Int64, _ newer: Connection) throws {
        let fields = try connection.rows("SELECT col, last FROM _sluice_field WHERE id = ?", [record.id]) { (column: $0.integer(0), last: $0.integer(1)) }
        for (column, last) in fields {
            let first = try newer.value("SELECT first FROM _sluice_field WHERE id = ? AND col = ?", [record.id, .integer(column)])?.integer
            // Where a merge put something of both sides together it waits there as an edit of its own, made after the copy: what is in it is here.
            if let first, first <= record.last || last >= acknowledged { continue }
            try connection.run("DELETE FROM _sluice_field WHERE id = ? AND col = ?", [record.id, .integer(column)])
        }
        try forgetSentEdits(of: record, newer)
        let isLeft = "SELECT 1 FROM _sluice_field WHERE id = ?1 UNION ALL SELECT 1 FROM _sluice_owed WHERE id = ?1 LIMIT 1"
        guard try connection.value(isLeft, [record.id]) == nil else { return }
        try forget(record)
    }

    /// The same of fields that the schema of both no longer has.
    private func forgetSentEdits(of record: Waiting, _ newer: Connection) throws {
        let isKnown = try newer.integer("SELECT count(*) FROM sqlite_master WHERE name = '_sluice_owed'") == 1
        for field in try connection.rows("SELECT field FROM _sluice_owed WHERE id = ? AND last > 0", [record.id], { $0.value(0) }) {
            if isKnown, try newer.value("SELECT 1 FROM _sluice_owed WHERE id = ? AND field = ?", [record.id, field]) != nil { continue }
            try connection.run("DELETE FROM _sluice_owed WHERE id = ? AND field = ?", [record.id, field])
        }
    }

    private func forget(_ record: Waiting) throws {
        try connection.run("DELETE FROM _sluice_field WHERE id = ?", [record.id])
        try connection.run("DELETE FROM _sluice_pending WHERE id = ?", [record.id])
        if !record.isDeleted { try noteKnown(record) }
    }

    /// The service had the record since: one that does not come any more was deleted.
    private func noteKnown(_ record: Waiting) throws {
        try connection.run(
            """
            INSERT INTO _sluice_record(id, tbl, tag) VALUES (?1, ?2, ?3)
                ON CONFLICT(id) DO UPDATE SET tag = ?3 WHERE tag IS NULL
            """, [record.id, .integer(record.table), .text(Self.tag)])
    }

    // MARK: Without it

    private func yieldToEverybody() throws {
        // Whoever edits a record after its deletion here wins.
        try connection.run(
            """
            INSERT INTO _sluice_tombstone(id, tbl, at)
                SELECT p.id, p.tbl, t.at FROM _sluice_pending p
                    JOIN _sluice_change c ON c.seq = p.last JOIN _sluice_transaction t ON t.txn = c.txn
                WHERE p.deleted = 1 AND p.tbl > 0
                ON CONFLICT(id) DO NOTHING
            """)
        try yield("deleted = 0", [])
    }

    /// What may have been sent: a tombstone of its name is then its own end, and no edit of a person stands behind a new record's values.
    private func yield(_ condition: String, _ values: [SQLiteValue]) throws {
        let change = "inserted = min(inserted * 2, 2), attempts = max(attempts, 1), not_before = 0"
        try connection.run("UPDATE _sluice_pending SET \(change) WHERE \(condition)", values)
    }
}
