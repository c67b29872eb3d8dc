// Frozen operations. The bytes of a request are on disk, under its operation id, before the first of them is sent, and a retry sends the
// same bytes: the service can tell a repetition from something new even after we were killed in between.
//
// A member is settled by version: an edit made while its predecessor was in flight keeps the record pending, from the position after the one
// that was sent.

package import Foundation
import SluiceSQLite
package import SluiceSchema

/// A request that was frozen and not yet settled.
package struct FrozenOperation: Sendable {
    package let number: Int64
    /// The operation id, a UUID.
    package let id: String
    package let body: Data
    package let attempts: Int
    package let memberCount: Int
}

/// What became of one member of an operation.
package enum MemberOutcome: Sendable {
    case saved(RecordState)
    case deleted
    /// The service has another version: look it up, merge, and send again.
    case reconcile
    /// A passing refusal; tried again at that time, in milliseconds since 1970.
    case later(Int64)
    /// A lasting refusal: kept, shown, and in nobody's way.
    case setAside(reason: String)
}

extension Store {
    package struct OperationMember {
        package let change: PendingChange
        /// Merge metadata that was sent with it, to be kept when it is acknowledged.
        package let meta: Data?

        package init(change: PendingChange, meta: Data?) {
            self.change = change
            self.meta = meta
        }
    }

    /// The number that the next frozen operation gets; asked for in the transaction that freezes it.
    package func nextOperationNumber() throws -> Int64 {
        try connection.integer("SELECT seq FROM sqlite_sequence WHERE name = '_sluice_operation'") + 1
    }

    /// Writes a request with its members, in one transaction.
    package func freeze(id: UUID, body: Data, members: [OperationMember]) throws -> FrozenOperation {
        try connection.joiningTransaction {
            let milliseconds = nowMilliseconds
            try connection.run(
                "INSERT INTO _sluice_operation(id, body, at) VALUES (?, ?, ?)", [.text(id.uuidString), .blob(body), .integer(milliseconds)])
            let number = connection.lastInsertRowID
            for member in members {
                try connection.run(
                    "INSERT INTO _sluice_member(operation, id, last, kind, meta) VALUES (?, ?, ?, ?, ?)",
                    [
                        .integer(number), member.change.name.stored, .integer(member.change.last),
                        .integer(member.change.isDeleted ? ChangeKind.delete.rawValue : ChangeKind.update.rawValue), SQLiteValue(member.meta),
                    ])
                try connection.run(
                    "UPDATE _sluice_pending SET operation = ?, attempts = attempts + 1 WHERE id = ?",
                    [.integer(number), member.change.name.stored])
            }
            return FrozenOperation(number: number, id: id.uuidString, body: body, attempts: 0, memberCount: members.count)
        }
    }

    /// Operations that wait for their answer, oldest first.
    package func frozenOperations() throws -> [FrozenOperation] {
        try connection.rows(
            """
            SELECT number, id, body, attempts, (SELECT count(*) FROM _sluice_member WHERE operation = number)
                FROM _sluice_operation ORDER BY number
            """
        ) {
            FrozenOperation(
                number: $0.integer(0), id: $0.text(1), body: $0.data(2), attempts: Int($0.integer(3)), memberCount: Int($0.integer(4)))
        }
    }

    package func frozenOperation(_ number: Int64) throws -> FrozenOperation? {
        try connection.firstRow(
            "SELECT id, body, attempts, (SELECT count(*) FROM _sluice_member WHERE operation = ?1) FROM _sluice_operation WHERE number = ?1",
            [.integer(number)]
        ) {
            FrozenOperation(
                number: number, id: $0.text(0), body: $0.data(1), attempts: Int($0.integer(2)), memberCount: Int($0.integer(3)))
        }
    }

    /// Names of an operation's members that are not settled.
    package func members(of operation: Int64) throws -> [(name: RecordName, meta: Data?)] {
        try connection.rows("SELECT id, meta FROM _sluice_member WHERE operation = ? ORDER BY id", [.integer(operation)]) {
            (RecordName(stored: $0.value(0)), $0.value(1).blob)
        }.compactMap { name, meta in name.map { ($0, meta) } }
    }

    /// Gives up an operation under its id: its members are looked up and sent anew under another. For when the service no longer knows
    /// whether it carried the operation out, or refused the request as a whole.
    package func thaw(_ operation: Int64, reconciling: Bool) throws {
        try connection.joiningTransaction {
            try connection.run(
                "UPDATE _sluice_pending SET operation = NULL, reconcile = ? WHERE operation = ?",
                [.integer(reconciling ? 1 : 0), .integer(operation)])
            try connection.run("DELETE FROM _sluice_member WHERE operation = ?", [.integer(operation)])
            try connection.run("DELETE FROM _sluice_operation WHERE number = ?", [.integer(operation)])
        }
    }

    /// Settles members of an operation; the operation itself goes with its last member.
    package func settle(_ operation: Int64, _ outcomes: [(name: RecordName, outcome: MemberOutcome)]) throws {
        try connection.joiningTransaction {
            for (name, outcome) in outcomes { try settle(operation, name, outcome) }
            try connection.run(
                "DELETE FROM _sluice_operation WHERE number = ?1 AND NOT EXISTS (SELECT 1 FROM _sluice_member WHERE operation = ?1)",
                [.integer(operation)])
        }
    }

    private func settle(_ operation: Int64, _ name: RecordName, _ outcome: MemberOutcome) throws {
        let key: [SQLiteValue] = [.integer(operation), name.stored]
        guard let sent = try connection.value("SELECT last FROM _sluice_member WHERE operation = ? AND id = ?", key)?.integer else {
            return
        }
        try connection.run("DELETE FROM _sluice_member WHERE operation = ? AND id = ?", key)
        // The feed may have been faster than the answer and settled the record already.
        guard let pending = try pendingChange(of: name) else { return }
        switch outcome {
        case .saved(let state):
            try setRecordState(state, of: name, table: pending.row.table)
            try acknowledge(pending, sent: sent)
        case .deleted:
            try removeRecordState(of: name)
            try rememberDeletion(of: name, table: pending.row.table)
            try acknowledge(pending, sent: sent)
        case .reconcile:
            try connection.run("UPDATE _sluice_pending SET operation = NULL, reconcile = 1 WHERE id = ?", [name.stored])
        case .later(let time):
            try connection.run(
                "UPDATE _sluice_pending SET operation = NULL, not_before = ? WHERE id = ?", [.integer(time), name.stored])
        case .setAside(let reason):
            try connection.run("UPDATE _sluice_pending SET operation = NULL, failure = ? WHERE id = ?", [.text(reason), name.stored])
        }
    }

    /// Takes what was sent off the outbox; what was edited since stays.
    private func acknowledge(_ pending: PendingChange, sent: Int64) throws {
        guard pending.last > sent else { return try forgetPending(pending.name) }
        try connection.run(
            """
            UPDATE _sluice_pending SET operation = NULL, inserted = 0, attempts = 0, first = ?, reconcile = 0 WHERE id = ?
            """, [.integer(sent + 1), pending.name.stored])
        for (column, range) in try pendingFields(of: pending.name) where range.first <= sent {
            let next = range.last > sent ? try firstChange(of: pending.row, column: column, after: sent) : nil
            if let next {
                try connection.run(
                    "UPDATE _sluice_field SET first = ? WHERE id = ? AND col = ?",
                    [.integer(next), pending.name.stored, SQLiteValue(column)])
            } else {
                try connection.run("DELETE FROM _sluice_field WHERE id = ? AND col = ?", [pending.name.stored, SQLiteValue(column)])
            }
        }
    }

    private func firstChange(of row: RowKey, column: Int, after sequence: Int64) throws -> Int64? {
        let number = tableNumbers[row.table]
        let (word, bit) = column.quotientAndRemainder(dividingBy: CaptureDefinition.bitsPerWord)
        return try connection.value(
            """
            SELECT c.seq FROM _sluice_change c JOIN _sluice_old_\(number) o ON o.seq = c.seq
                WHERE c.seq > ? AND c.tbl = ? AND c.row = ? AND c.kind = 1 AND c.origin IN (0, 2) AND (o.m\(word) >> \(bit)) & 1
                ORDER BY c.seq LIMIT 1
            """, [.integer(sequence), .integer(number), .integer(row.key)])?.integer
    }

    /// Takes a record off the outbox altogether.
    package func forgetPending(_ name: RecordName) throws {
        try connection.run("DELETE FROM _sluice_field WHERE id = ?", [name.stored])
        try connection.run("DELETE FROM _sluice_pending WHERE id = ?", [name.stored])
    }

    /// After a merge: only these columns are still to be sent, on top of the service's version.
    package func rebasePending(_ pending: PendingChange, keeping columns: Set<Int>) throws {
        let name = pending.name.stored
        let fields = try pendingFields(of: pending.name)
        for column in fields.keys where !columns.contains(column) {
            try connection.run("DELETE FROM _sluice_field WHERE id = ? AND col = ?", [name, SQLiteValue(column)])
        }
        for column in columns.sorted() where fields[column] == nil {
            try connection.run(
                "INSERT INTO _sluice_field(id, col, first, last) VALUES (?, ?, ?, ?)",
                [name, SQLiteValue(column), .integer(pending.first), .integer(pending.last)])
        }
        try connection.run("UPDATE _sluice_pending SET inserted = 0, reconcile = 0, not_before = 0 WHERE id = ?", [name])
    }

    /// After the service said that the record is gone: it is to be made anew.
    package func restartPending(_ name: RecordName) throws {
        try removeRecordState(of: name)
        try connection.run(
            "UPDATE _sluice_pending SET inserted = max(inserted, 1), reconcile = 0, not_before = 0 WHERE id = ?", [name.stored])
    }

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
        try connection.rows("SELECT id FROM _sluice_pending WHERE reconcile = 1 ORDER BY number LIMIT ?", [SQLiteValue(limit)]) {
            RecordName(stored: $0.value(0))
        }.compactMap { $0 }
    }

    package func markReconciled(_ name: RecordName) throws {
        try connection.run("UPDATE _sluice_pending SET reconcile = 0, not_before = 0 WHERE id = ?", [name.stored])
    }
}
