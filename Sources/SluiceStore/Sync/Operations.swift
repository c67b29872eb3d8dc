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
            try connection.run("INSERT INTO _sluice_member(operation, id, last, kind, meta) VALUES (?, ?, ?, ?, ?)", forEach: members) { statement, member in
                try statement.bind(number, at: 1)
                try statement.bind(member.change.name, at: 2)
                try statement.bind(member.change.last, at: 3)
                try statement.bind((member.change.isDeleted ? ChangeKind.delete : .update).rawValue, at: 4)
                if let meta = member.meta { try statement.bind(meta, at: 5) }
            }
            try connection.run(
                "UPDATE _sluice_pending SET operation = ?1, attempts = attempts + 1 WHERE id IN (SELECT id FROM _sluice_member WHERE operation = ?1)",
                [.integer(number)])
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
    /// - Parameter hasFields: false where it is known that no single column of it waits.
    package func forgetPending(_ name: RecordName, hasFields: Bool = true) throws {
        if hasFields { try connection.run("DELETE FROM _sluice_field WHERE id = ?", [name.stored]) }
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
