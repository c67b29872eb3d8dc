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
    /// Milliseconds since 1970, by this device's clock.
    package let frozenAt: Int64
}

/// A frozen operation's place among the others.
package struct QueuedOperation: Hashable, Sendable {
    package let number: Int64
    /// It must not reach the service before this one and those before it are settled: its records refer to records of theirs. Nil: at any time.
    package let after: Int64?

    package init(_ number: Int64, after: Int64? = nil) {
        self.number = number
        self.after = after
    }
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
    package func freeze(id: UUID, body: Data, members: [OperationMember]) throws -> QueuedOperation {
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
            let after = try OperationOrder(store: self, operation: number).predecessor(of: members.map(\.change))
            if let after { try connection.run("INSERT INTO _sluice_order VALUES (?, ?)", [.integer(number), .integer(after)]) }
            return QueuedOperation(number, after: after)
        }
    }

    /// Numbers of the operations that wait for their answer, the oldest first.
    package func frozenOperationNumbers() throws -> [Int64] {
        try connection.rows("SELECT number FROM _sluice_operation ORDER BY number") { $0.integer(0) }
    }

    /// The same with their places.
    package func queuedOperations() throws -> [QueuedOperation] {
        try connection.rows(
            "SELECT o.number, r.after FROM _sluice_operation o LEFT JOIN _sluice_order r ON r.operation = o.number ORDER BY o.number"
        ) { QueuedOperation($0.integer(0), after: $0.value(1).integer) }
    }

    package func frozenOperation(_ number: Int64) throws -> FrozenOperation? {
        try connection.firstRow(
            "SELECT id, body, attempts, (SELECT count(*) FROM _sluice_member WHERE operation = ?1), at FROM _sluice_operation WHERE number = ?1",
            [.integer(number)]
        ) {
            FrozenOperation(
                number: number, id: $0.text(0), body: $0.data(1), attempts: Int($0.integer(2)), memberCount: Int($0.integer(3)),
                frozenAt: $0.integer(4))
        }
    }

    /// Members of an operation that are not settled, each with the metadata and the log position that were sent.
    package func members(of operation: Int64) throws -> [(name: RecordName, meta: Data?, sent: Int64)] {
        try connection.rows("SELECT id, meta, last FROM _sluice_member WHERE operation = ? ORDER BY id", [.integer(operation)]) {
            (RecordName(stored: $0.value(0)), $0.value(1).blob, $0.integer(2))
        }.compactMap { name, meta, sent in name.map { ($0, meta, sent) } }
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
    /// - Returns: how many were saved and have to be looked up all the same.
    @discardableResult
    package func settle(_ operation: Int64, _ outcomes: [(name: RecordName, outcome: MemberOutcome)]) throws -> Int {
        try connection.joiningTransaction {
            var doubtCount = 0
            for (name, outcome) in outcomes where try settle(operation, name, outcome) { doubtCount += 1 }
            try connection.run(
                "DELETE FROM _sluice_operation WHERE number = ?1 AND NOT EXISTS (SELECT 1 FROM _sluice_member WHERE operation = ?1)",
                [.integer(operation)])
            return doubtCount
        }
    }

    /// Returns whether the record was saved and is in doubt.
    private func settle(_ operation: Int64, _ name: RecordName, _ outcome: MemberOutcome) throws -> Bool {
        let key: [SQLiteValue] = [.integer(operation), name.stored]
        guard let sent = try connection.value("SELECT last FROM _sluice_member WHERE operation = ? AND id = ?", key)?.integer else {
            return false
        }
        try connection.run("DELETE FROM _sluice_member WHERE operation = ? AND id = ?", key)
        // The feed may have been faster than the answer and settled the record already.
        guard let pending = try pendingChange(of: name) else { return false }
        switch outcome {
        case .saved(let state):
            try setRecordState(state, of: name, table: pending.row?.table)
            guard try !isInDoubt(name, of: operation) else {
                try lookUp(pending, sent: sent)
                return true
            }
            try acknowledge(pending, sent: sent)
        case .deleted:
            try removeRecordState(of: name)
            try rememberDeletion(of: name, table: pending.row?.table)
            try acknowledge(pending, sent: sent)
        case .reconcile:
            try connection.run("UPDATE _sluice_pending SET operation = NULL, reconcile = 1 WHERE id = ?", [name.stored])
        case .later(let time):
            try connection.run(
                "UPDATE _sluice_pending SET operation = NULL, not_before = ? WHERE id = ?", [.integer(time), name.stored])
        case .setAside(let reason):
            try connection.run("UPDATE _sluice_pending SET operation = NULL, failure = ? WHERE id = ?", [.text(reason), name.stored])
        }
        return false
    }

    /// Takes what was sent off the outbox; what was edited since stays.
    private func acknowledge(_ pending: PendingChange, sent: Int64) throws {
        guard pending.last > sent else {
            // Nothing of a record whose type went is kept, but what is still to be sent.
            if pending.departed != nil { try removeRecordState(of: pending.name) }
            return try forgetPending(pending.name)
        }
        try settleOwed(of: pending.name, through: sent)
        try keepInsertion(pending, after: sent)
        try connection.run(
            "UPDATE _sluice_pending SET operation = NULL, attempts = 0, first = ?, reconcile = 0 WHERE id = ?",
            [.integer(sent + 1), pending.name.stored])
        guard let row = pending.row else { return }
        for (column, range) in try pendingFields(of: pending.name) where range.first <= sent {
            let next = range.last > sent ? try firstChange(of: row, column: column, after: sent) : nil
            if let next {
                try connection.run(
                    "UPDATE _sluice_field SET first = ? WHERE id = ? AND col = ?",
                    [.integer(next), pending.name.stored, SQLiteValue(column)])
            } else {
                try connection.run("DELETE FROM _sluice_field WHERE id = ? AND col = ?", [pending.name.stored, SQLiteValue(column)])
            }
        }
    }

    /// Whether the service's word for a record that it saved may be out of date: the feed brought a tombstone of that name meanwhile, of an
    /// earlier record or of this one; an older version of it waits in the inbox, and must not be applied over this one; or everything was
    /// fetched anew since the operation was frozen, and tombstones were not among it.
    package func isInDoubt(_ name: RecordName, of operation: Int64) throws -> Bool {
        if try operation <= syncValue(.fetchOperation)?.integer ?? 0 { return true }
        return try deletion(of: name) != nil || (inboxHolds(name) && !inboxWaitsForAnswer(name))
    }

    /// The service has taken what was sent, but does it still have it? A lookup tells.
    private func lookUp(_ pending: PendingChange, sent: Int64) throws {
        try keepInsertion(pending, after: sent)
        // A version that waits in the inbox may be older than what was saved; the lookup brings the one that is there.
        if try !inboxHoldsTombstone(of: pending.name) { try removeFromInbox(pending.name) }
        try connection.run("UPDATE _sluice_pending SET operation = NULL, reconcile = 1 WHERE id = ?", [pending.name.stored])
    }

    /// The service knows the record, so nothing of it is an insertion any more; but a row that was deleted and inserted anew under its name
    /// since is a new one still, and all of it is to be sent.
    private func keepInsertion(_ pending: PendingChange, after sent: Int64) throws {
        let isNew = try pending.isInserted && pending.row.map { row in
            try connection.value(
                "SELECT 1 FROM _sluice_change WHERE seq > ? AND tbl = ? AND row = ? AND kind = 0 LIMIT 1",
                [.integer(sent), .integer(tableNumbers[row.table]), .integer(row.key)]) != nil
        } ?? false
        if !isNew { try connection.run("UPDATE _sluice_pending SET inserted = 0 WHERE id = ?", [pending.name.stored]) }
    }

    /// The first change of a column after a position that the service has to hear of; nil where there is none.
    package func firstChange(of row: RowKey, column: Int, after sequence: Int64) throws -> Int64? {
        let number = tableNumbers[row.table]
        let (word, bit) = column.quotientAndRemainder(dividingBy: CaptureDefinition.bitsPerWord)
        return try connection.value(
            """
            SELECT c.seq FROM _sluice_change c JOIN _sluice_old_\(number) o ON o.seq = c.seq
                WHERE c.seq > ? AND c.tbl = ? AND c.row = ? AND c.kind = 1 AND c.origin IN (0, 2, 3) AND (o.m\(word) >> \(bit)) & 1
                ORDER BY c.seq LIMIT 1
            """, [.integer(sequence), .integer(number), .integer(row.key)])?.integer
    }

    /// Takes a record off the outbox altogether.
    package func forgetPending(_ name: RecordName) throws {
        try connection.run("DELETE FROM _sluice_field WHERE id = ?", [name.stored])
        try connection.run("DELETE FROM _sluice_pending WHERE id = ?", [name.stored])
    }

    /// Takes a record out of the operation that carries it: what the service has of it is newer than what was sent, and the answer to that
    /// operation says nothing of it any more.
    package func leaveOperation(_ name: RecordName) throws {
        try connection.run(
            "DELETE FROM _sluice_member WHERE id = ?1 AND operation = (SELECT operation FROM _sluice_pending WHERE id = ?1)", [name.stored])
        try connection.run("UPDATE _sluice_pending SET operation = NULL WHERE id = ?", [name.stored])
    }

    /// The merge metadata that goes with the record in the operation that carries it; nil where none does, or a deletion is on its way.
    package func metadataInFlight(of name: RecordName) throws -> Data? {
        try connection.value(
            "SELECT m.meta FROM _sluice_pending p JOIN _sluice_member m ON m.operation = p.operation AND m.id = p.id WHERE p.id = ?",
            [name.stored])?.blob
    }

    /// Whether a deletion of the record is on its way.
    package func isDeletionInFlight(_ name: RecordName) throws -> Bool {
        try connection.value(
            """
            SELECT 1 FROM _sluice_pending p JOIN _sluice_member m ON m.operation = p.operation AND m.id = p.id WHERE p.id = ? AND m.kind = 2
            """, [name.stored]) != nil
    }

    /// After a merge: nothing is left to send.
    package func forgetMerged(_ pending: PendingChange) throws {
        try leaveOperation(pending.name)
        try forgetPending(pending.name)
    }

    /// After a merge: only these columns are still to be sent, on top of the service's version.
    package func rebasePending(_ pending: PendingChange, keeping columns: Set<Int>) throws {
        try leaveOperation(pending.name)
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
        try connection.run("UPDATE _sluice_pending SET inserted = 0, reconcile = 0, not_before = 0, failure = NULL WHERE id = ?", [name])
    }

    /// After a merge that wrote something of both sides: these columns are to be sent as of the change at `sequence`, whose old values are the
    /// base of the next merge; 0 where nobody's edit stands behind them.
    package func restartFields(_ columns: [Int], of name: RecordName, at sequence: Int64) throws {
        for column in columns {
            try connection.run(
                "UPDATE _sluice_field SET first = ?1, last = ?1 WHERE id = ?2 AND col = ?3", [.integer(sequence), name.stored, SQLiteValue(column)])
        }
        try connection.run("UPDATE _sluice_pending SET last = max(last, ?) WHERE id = ?", [.integer(sequence), name.stored])
    }

    /// After the service said that the record is gone: it is to be made anew.
    package func restartPending(_ name: RecordName) throws {
        // What its metadata says holds on: how old its values are, and what of them is counted.
        try connection.run("UPDATE _sluice_record SET tag = NULL WHERE id = ?", [name.stored])
        try connection.run(
            "UPDATE _sluice_pending SET inserted = max(inserted, 1), reconcile = 0, not_before = 0 WHERE id = ?", [name.stored])
    }
}
