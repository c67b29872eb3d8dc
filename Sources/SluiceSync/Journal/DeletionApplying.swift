// Deletions by others: what the service says is gone goes here too, with what cannot be without it.
//
// 1. A deletion wins over an edit, and the lost edit stays readable in history; or the edit wins, where the entity's policy says so: then the
//    record is made anew under its name, from what is here. Only an edit by a person does that.
// 2. A row that was made here and never acknowledged beats a tombstone of its name, unless the tombstone can only be its own.
// 3. What still refers to a row that goes is settled in the same transaction, and the service is told.

import SluiceRecords
import SluiceSQLite
import SluiceSchema
import SluiceStore

extension RecordApplier {
    mutating func applyDeletion(of name: RecordName) throws {
        try store.removeFromInbox(name)
        let pending = try store.pendingChange(of: name)
        if let pending, pending.isInserted, !pending.isDeleted, try store.isDeletionInFlight(name) {
            // The echo of our own deletion; the row was inserted anew since.
            try store.leaveOperation(name)
            try store.removeRecordState(of: name)
            return try store.rememberDeletion(of: name, table: pending.row?.table)
        }
        if let pending, try beatsTombstone(pending) { return try store.rememberDeletion(of: name, table: pending.row?.table) }
        if let pending, try outlivesDeletion(pending) {
            try noteDeletion(pending, outcome: .device)
            try store.leaveOperation(name)
            try store.restartPending(name)
            return try store.rememberDeletion(of: name, table: pending.row?.table)
        }
        // A row that is this device's alone now is nobody else's to delete.
        let row = try store.row(named: name).flatMap { try store.entity(of: $0)?.isLocalOnly == true ? nil : $0 }
        if let pending { try noteDeletion(pending, outcome: .service) }
        if let row { try release(row) }
        try store.forgetPending(name)
        try store.removeRecordState(of: name)
        if let table = row?.table ?? pending?.row?.table { try store.rememberDeletion(of: name, table: table) }
        if row != nil { summary.deletedCount += 1 }
    }

    /// Whether the record may have been merged into one that waits for its unique values: the end of the feed will tell.
    func mayBeMerged(_ name: RecordName) throws -> Bool {
        guard let row = try store.row(named: name), let entity = try store.entity(of: row), !entity.uniqueness.isEmpty, !entity.isJoin else {
            return false
        }
        return try store.inboxHolds(type: entity.wireName)
    }

    /// A record that was made here and never acknowledged is a new incarnation under an old name. But where it was sent, the tombstone may be the
    /// end of this very record, whose answer is still to come: certainly so for a name that nobody can have used before. Where that is not
    /// certain the tombstone is remembered, and the answer then not taken at its word.
    private func beatsTombstone(_ pending: PendingChange) throws -> Bool {
        guard pending.isInserted, !pending.isImported, pending.service?.tag == nil else { return false }
        if try pending.attempts == 0 || store.deletion(of: pending.name) != nil { return true }
        guard let row = pending.row else { return false }
        return store.layout.entities(in: row.table).contains { $0.isJoin || !$0.identity.isEmpty }
    }

    /// Whether a person edited the record here without knowing of its deletion, and edits win.
    private func outlivesDeletion(_ pending: PendingChange) throws -> Bool {
        guard !pending.isDeleted, pending.departed == nil, let row = pending.row, let entity = try store.entity(of: row), !entity.isJoin,
            journal.rules(of: entity).deletions == .editWins
        else { return false }
        return try store.pendingFields(of: pending.name).contains { column, range in
            try store.editStamp(of: column, in: row, from: range.first, through: range.last) > 0
        }
    }

    /// Whether a person edited the version that is on the service without knowing of the deletion that is to be sent, and edits win.
    func outlivesDeletion(_ remote: RemoteRecord, _ pending: PendingChange, entity: StoredEntity) -> Bool {
        guard !entity.isJoin, journal.rules(of: entity).deletions == .editWins else { return false }
        let known = pending.service?.meta.flatMap { MergeMetadata(encoded: $0) }
        // What this device wrote itself it knew, whether it has heard the answer or not.
        if let theirs = remote.metadata {
            let isOthers = theirs.operations.contains { $0.key != journal.device && $0.value > known?.operations[$0.key] ?? 0 }
            guard isOthers else { return false }
        }
        return remote.latestEdit > known?.stamps.values.map(\.milliseconds).max() ?? 0
    }

    /// Deletes a row that went elsewhere. What still refers to it here was related to it by somebody who did not know: the service is told
    /// what becomes of those rows, or it would keep references to nothing.
    private func release(_ row: RowKey) throws {
        for referrer in try store.referrers(to: row) where referrer.row != row {
            if referrer.isRequired {
                try store.withOrigin(.local) { try store.deleteOrphan(referrer.row) }
            } else {
                try store.withOrigin(.import) {
                    try store.updateRow(referrer.row, of: referrer.entity, cells: [Cell(column: referrer.column, value: .null)])
                }
            }
        }
        try store.deleteRow(row)
    }

    /// A lookup found no record of that name. Whether it was deleted, or lost by a service that is not what it was, the feed tells: only
    /// where a pull came between two lookups and told nothing, it is taken for deleted.
    mutating func applyAbsence(of name: RecordName) throws {
        guard let pending = try store.pendingChange(of: name) else { return }
        if pending.isInserted {
            try store.restartPending(name)
        } else if try store.noteAbsence(of: name) {
            try applyDeletion(of: name)
        } else {
            summary.absentCount += 1
        }
    }
}
