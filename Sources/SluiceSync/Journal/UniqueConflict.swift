// Two records with the same unique values, made or changed on two devices. The smaller record name survives, on every device alike. The
// other's later edits move into it, references to it are turned, and it is deleted; its values stay readable in history.
//
// Invariants
// 1. Chains end: each step takes one row away, or the record that waits.
// 2. A row whose tombstone has come with the same feed survives nothing. Was it merged away elsewhere, into the record that waits, then its
//    references are turned here too; else it is deleted. The same goes for a row that was deleted so long ago that its tombstone is forgotten:
//    the end of a full fetch that did not meet it says so.
// 3. Nothing is taken away for a record that cannot be written afterwards.

import Foundation
import SluiceRecords
import SluiceSQLite
import SluiceSchema
import SluiceStore

struct UniqueConflict {
    let journal: SyncJournal

    /// More rows than a record has unique constraints never stand in its way.
    private static let rowCountMax = 64

    private var store: Store { journal.store }

    /// Whether the record waited because of a unique value, and no longer does.
    func resolve(_ record: Record, with applier: inout RecordApplier) throws -> Bool {
        let name = RecordName(record.recordName)
        guard let incoming = journal.mapping.incoming(record) else { return false }
        let remote = RemoteRecord(record: record, device: journal.device, latestStamp: applier.latestStamp)
        let (cells, missing) = try applier.storedCells(incoming.cells, of: incoming.entity)
        guard missing.required == nil else { return false }
        var replaced: [Replaced] = []
        var isResolved = false
        for _ in 0..<Self.rowCountMax {
            let own = try store.row(named: name)
            guard let holder = try store.conflictingRow(incoming.entity, cells: cells, except: own), let other = try store.name(of: holder)
            else { break }
            if try isGone(other, applier) {
                try applier.applyDeletion(of: other)
                // A row that beats its tombstone stays, and the conflict with it.
                if try store.row(named: other) == nil {
                    try store.removeRecordState(of: other)
                    isResolved = true
                    continue
                }
            }
            if other < name {
                guard try store.inboxHoldsTombstone(of: other) else {
                    try absorb(record, incoming, remote, own: own, into: holder, named: other, applier: applier)
                    return true
                }
                try applier.applyDeletion(of: other)
                isResolved = true
            } else {
                guard let old = try take(holder, named: other) else { break }
                replaced.append(old)
                isResolved = true
            }
        }
        guard isResolved else { return false }
        applier.clearsMissingReferences = true
        defer { applier.clearsMissingReferences = false }
        guard try applier.apply(record, evenIfKnown: true) == .applied, let row = try store.row(named: name) else { return false }
        for old in replaced {
            try store.note(SyncConflict(old.name, entity: old.row.entity, kind: .unique, outcome: .both, heir: name))
            try hand(old, over: row, named: name, incoming: incoming, remote: remote, applier: applier)
        }
        return true
    }

    /// Whether a full fetch did not meet the record, which the service had acknowledged, and that means that it was deleted elsewhere.
    private func isGone(_ name: RecordName, _ applier: RecordApplier) throws -> Bool {
        guard let fetch = applier.fullFetch, let reason = try journal.fullFetchReason, !reason.resends else { return false }
        // What was not sent outlives its zone.
        if reason.leavesZone, try store.pendingChange(of: name) != nil { return false }
        return try store.isAcknowledged(name, notSeenBy: fetch)
    }

    // MARK: The row here survives

    private func absorb(
        _ record: Record, _ incoming: RecordMapping.Incoming, _ remote: RemoteRecord, own: RowKey?, into row: RowKey, named heir: RecordName,
        applier: RecordApplier
    ) throws {
        let name = RecordName(record.recordName)
        let later = try laterCells(of: incoming, remote, than: row, applier: applier)
        try store.withOrigin(.local) { try store.updateRow(row, of: incoming.entity, cells: later) }
        try store.setRecordState(RecordState(tag: record.changeTag), of: name, table: incoming.entity.table)
        try applier.noteSeen(name)
        try store.note(SyncConflict(name, entity: incoming.entity.name, kind: .unique, outcome: .both, heir: heir))
        if let own, let old = try take(own, named: name) {
            try turnReferences(of: old, to: row, named: heir)
        } else {
            try store.resendDeletion(of: name, table: incoming.entity.table)
        }
        try store.removeFromInbox(name)
    }

    private func laterCells(
        of incoming: RecordMapping.Incoming, _ remote: RemoteRecord, than row: RowKey, applier: RecordApplier
    ) throws -> [Cell] {
        guard let name = try store.name(of: row) else { return [] }
        let stamps = try store.recordState(of: name)?.meta.flatMap { MergeMetadata(encoded: $0) }
        let pending = try store.pendingChange(of: name)
        let changed = try store.pendingFields(of: name)
        let counters = journal.rules(of: incoming.entity).counters
        let later = try incoming.cells.filter { column, cell in
            // What two records count is not the same thing.
            guard !cell.isNull, !counters.contains(column), let field = journal.mapping.wireName(ofColumn: column, in: incoming.entity)
            else { return false }
            let mine = try pending.map { try journal.editStamp(of: column, change: $0, changed: changed, known: stamps?.stamps[field]) }
                ?? stamps?.stamps[field]?.milliseconds ?? 0
            return remote.stamp(of: field, cell: cell) > mine
        }
        return try applier.storedCells(later, of: incoming.entity).0.filter { !$0.value.isNull }
    }

    // MARK: The record that came survives

    /// A row that made room, with what referred to it.
    private struct Replaced {
        let name: RecordName
        let row: StoredRow
        let meta: MergeMetadata?
        let referrers: [Referrer]
        /// Pairs of a many-to-many relationship go with their end; they are made anew, under the name that the surviving end gives them.
        let pairs: [StoredRow]
    }

    private func take(_ row: RowKey, named name: RecordName) throws -> Replaced? {
        // A value whose file is lost cannot move along.
        guard let old = try store.row(at: row, onFault: { _ in }) else { return nil }
        let referrers = try store.referrers(to: row)
        let replaced = Replaced(
            name: name, row: old, meta: try store.recordState(of: name)?.meta.flatMap { MergeMetadata(encoded: $0) },
            referrers: referrers.filter { !$0.entity.isJoin && $0.row != row },
            pairs: try referrers.filter(\.entity.isJoin).compactMap { try store.row(at: $0.row) })
        try store.withOrigin(.local) { try store.deleteRow(row) }
        return replaced
    }

    private func hand(
        _ old: Replaced, over row: RowKey, named name: RecordName, incoming: RecordMapping.Incoming, remote: RemoteRecord,
        applier: RecordApplier
    ) throws {
        try turnReferences(of: old, to: row, named: name)
        let counters = journal.rules(of: incoming.entity).counters
        let later = journal.mapping.cells(of: old.row, as: incoming.entity).filter { column, cell in
            let field = journal.mapping.wireName(ofColumn: column, in: incoming.entity) ?? ""
            return !cell.isNull && !counters.contains(column) && (old.meta?.stamps[field]?.milliseconds ?? 0) > remote.stamp(of: field, cell: incoming.cells[column] ?? cell)
        }
        let cells = try applier.storedCells(later, of: incoming.entity).0.filter { !$0.value.isNull }
        try store.withOrigin(.local) { try store.updateRow(row, of: incoming.entity, cells: cells) }
    }

    private func turnReferences(of old: Replaced, to row: RowKey, named name: RecordName) throws {
        for referrer in old.referrers {
            try store.withOrigin(.import) {
                try store.updateRow(
                    referrer.row, of: referrer.entity, cells: [Cell(column: referrer.column, value: .integer(row.key))])
            }
        }
        try store.withOrigin(.local) { for pair in old.pairs { try renew(pair, turning: old.name, to: name) } }
    }

    private func renew(_ pair: StoredRow, turning old: RecordName, to new: RecordName) throws {
        let ends = pair.references.mapValues { $0 == old ? new : $0 }
        guard let join = store.layout.entities[pair.entity], let source = ends["source"], let target = ends["target"] else { return }
        let name = store.naming.pairName(type: join.wireName, source: source, target: target)
        try store.put(pair.entity, name: name, RowEdit(references: ends.mapValues(Optional.some)))
    }
}
