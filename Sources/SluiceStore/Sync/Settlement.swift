// What becomes of an operation's members when its answer is there. Everything that the step asks of a member is read with all of them at once:
// an answer has thousands.

package import Foundation
import SluiceSQLite
package import SluiceSchema

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

/// One member of an operation, and what is known of its record now.
package struct SentChange: Sendable {
    package let name: RecordName
    /// Merge metadata that was sent with it; nil with a deletion.
    package let meta: Data?
    /// The log position that was sent.
    package let sent: Int64
    /// Nil where the feed was faster than the answer and settled the record already.
    package let pending: PendingChange?
    /// Whether the service's word for the record, should it have saved it, may be out of date: the feed brought a tombstone of that name
    /// meanwhile, of an earlier record or of this one; an older version of it waits in the inbox, and must not be applied over this one; or
    /// everything was fetched anew since the operation was frozen, and tombstones were not among it.
    package let isInDoubt: Bool
}

/// A member that was saved as it was sent, with nothing about it that needs a second look.
private struct PlainSave {
    let name: RecordName
    let table: Int?
    let state: RecordState

    /// nil for what has to be looked at by itself: an edit was made meanwhile, or single columns of it wait, or the service's word is in doubt.
    init?(_ member: SentChange, _ outcome: MemberOutcome) {
        guard case .saved(let state) = outcome, let pending = member.pending, pending.last <= member.sent, !member.isInDoubt,
            pending.departed == nil, !pending.hasFields
        else { return nil }
        name = member.name
        table = pending.row?.table
        self.state = state
    }
}

extension Store {
    /// Members of an operation that are not settled. They hold for as long as the transaction does in which they are asked for.
    package func members(of operation: Int64) throws -> [SentChange] {
        let isOld = try operation <= syncValue(.fetchOperation)?.integer ?? 0
        return try connection.rows(
            """
            SELECT m.id, m.meta, m.last, t.id IS NOT NULL OR (i.id IS NOT NULL AND i.reason <> ?2), \(Self.pendingColumns)
                FROM _sluice_member m LEFT JOIN _sluice_pending p ON p.id = m.id \(Self.pendingJoins)
                LEFT JOIN _sluice_tombstone t ON t.id = m.id LEFT JOIN _sluice_inbox i ON i.id = m.id
                WHERE m.operation = ?1 ORDER BY m.id
            """, [.integer(operation), .text(Self.answerReason)]
        ) { statement in
            RecordName(stored: statement.value(0)).map { name in
                SentChange(
                    name: name, meta: statement.value(1).blob, sent: statement.integer(2), pending: pendingChange(statement, from: 4),
                    isInDoubt: isOld || statement.integer(3) == 1)
            }
        }.compactMap(\.self)
    }

    /// Settles members of an operation by their names.
    @discardableResult
    package func settle(_ operation: Int64, _ outcomes: [(name: RecordName, outcome: MemberOutcome)]) throws -> Int {
        try connection.joiningTransaction {
            let members = Dictionary(try members(of: operation).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
            return try settle(operation, outcomes.compactMap { name, outcome in members[name].map { (member: $0, outcome: outcome) } })
        }
    }

    /// Settles members of an operation, which goes with the last of them.
    /// - Returns: how many were saved and have to be looked up all the same.
    @discardableResult
    package func settle(_ operation: Int64, _ outcomes: [(member: SentChange, outcome: MemberOutcome)]) throws -> Int {
        try connection.joiningTransaction {
            var doubtCount = 0
            var plain: [PlainSave] = []
            for (member, outcome) in outcomes {
                if let save = PlainSave(member, outcome) { plain.append(save) } else if try settle(member, outcome) { doubtCount += 1 }
            }
            try settle(plain)
            let number = SQLiteValue.integer(operation)
            // Mostly all of them are there, and one statement takes them off.
            if try connection.integer("SELECT count(*) FROM _sluice_member WHERE operation = ?", [number]) == outcomes.count {
                try connection.run("DELETE FROM _sluice_member WHERE operation = ?", [number])
                try connection.run("DELETE FROM _sluice_operation WHERE number = ?", [number])
            } else {
                for (member, _) in outcomes {
                    try connection.run("DELETE FROM _sluice_member WHERE operation = ? AND id = ?", [number, member.name.stored])
                }
            }
            return doubtCount
        }
    }

    /// Most members of any answer: two statements, each for all of them.
    private func settle(_ saves: [PlainSave]) throws {
        guard !saves.isEmpty else { return }
        try setRecordStates(saves.lazy.map { (name: $0.name, table: $0.table, state: $0.state) })
        try connection.run("DELETE FROM _sluice_pending WHERE id = ?", forEach: saves) { statement, save in try statement.bind(save.name, at: 1) }
    }

    /// Returns whether the record was saved and is in doubt.
    private func settle(_ member: SentChange, _ outcome: MemberOutcome) throws -> Bool {
        guard let pending = member.pending else { return false }
        let name = member.name
        switch outcome {
        case .saved(let state):
            try setRecordState(state, of: name, table: pending.row?.table)
            guard !member.isInDoubt else {
                try lookUp(pending, sent: member.sent)
                return true
            }
            try acknowledge(pending, sent: member.sent)
        case .deleted:
            try removeRecordState(of: name)
            try rememberDeletion(of: name, table: pending.row?.table)
            try acknowledge(pending, sent: member.sent)
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
            return try forgetPending(pending.name, hasFields: pending.hasFields)
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
}
