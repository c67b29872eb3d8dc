// Applies single records of the service to the store, inside a write transaction of origin `pull`.
//
// - An echo of our own write is recognised by its change tag, never by its device.
// - A record without unsent edits here takes the service's values. With unsent edits it is merged field by field (FieldMerge).
// - A record that requires one that has not come waits in the inbox, and what is here of it stays as it is.
// - Deletions are DeletionApplying's.

import Foundation
import SluiceRecords
import SluiceSQLite
import SluiceSchema
import SluiceStore

struct RecordApplier {
    let journal: SyncJournal
    /// The number of the full fetch under way; nil in an ordinary pull.
    let fullFetch: Int64?
    let latestStamp: Int64
    /// At the end of a feed references that found nothing become NULL instead of keeping their record waiting.
    var clearsMissingReferences = false
    /// Required ones too: for records that require each other, until all of them are there.
    var clearsRequiredReferences = false
    var summary = PageSummary()

    var store: Store { journal.store }

    init(journal: SyncJournal, fullFetch: Int64?, latestStamp: Int64) {
        self.journal = journal
        self.fullFetch = fullFetch
        self.latestStamp = latestStamp
    }

    enum Outcome: Equatable {
        case applied
        case waiting(reason: String)
    }

    /// - Parameters:
    ///   - evenIfKnown: apply a record whose tag we have: a lookup is asked because something else disagrees.
    ///   - keepsWaiting: leave the record in the inbox even when it was written.
    @discardableResult
    mutating func apply(_ record: Record, evenIfKnown: Bool = false, keepsWaiting: Bool = false) throws -> Outcome {
        let name = RecordName(record.recordName)
        guard !record.isDeleted else {
            if try mayBeMerged(name) { try store.keepTombstoneInInbox(name, body: record.encoded()) } else { try applyDeletion(of: name) }
            return .applied
        }
        let traces = try store.traces(of: name)
        if !evenIfKnown, let tag = record.changeTag, traces.tag == tag {
            summary.knownCount += 1
            try noteSeen(name)
            return .applied
        }
        guard let incoming = journal.mapping.incoming(record) else {
            try applyDeparted(record, name: name)
            return try keep(record, name, reason: "this device's schema has no record type \(record.recordType ?? "(none)")", isParked: true)
        }
        return try apply(record, name: name, incoming: incoming, traces: traces, keepsWaiting: keepsWaiting)
    }

    private mutating func apply(
        _ record: Record, name: RecordName, incoming: RecordMapping.Incoming, traces: RecordTraces, keepsWaiting: Bool
    ) throws -> Outcome {
        let pending = traces.isPending ? try store.pendingChange(of: name) : nil
        var state = RecordState(tag: record.changeTag, wireName: record.recordName == name.text ? nil : record.recordName)
        let remote = RemoteRecord(record: record, device: journal.device, latestStamp: latestStamp)
        try journal.noticeCopy(remote.ownOperation)
        let joined = try journal.joined(remote, tag: record.changeTag, pending: pending, entity: incoming.entity)
        state.meta = joined?.encoded ?? remote.keptMetadata
        state.extra = incoming.unknown.isEmpty ? nil : try incoming.unknown.canonicalJSON()
        if let pending, pending.isDeleted, pending.isInFlight {
            // Whether this is the record that the deletion is meant for, or a new one under its name, the answer to the deletion will tell.
            try noteSeen(name)
            return try keep(record, name, reason: "its deletion is on its way", isParked: true)
        }
        if let pending, pending.isDeleted, try deletionStands(pending, against: remote, tag: record.changeTag, entity: incoming.entity) {
            try store.removeFromInbox(name)
            // The deletion is sent again, against the version that is there now.
            try store.setRecordState(state, of: name, table: incoming.entity.table)
            try noteSeen(name)
            return .applied
        }
        if let pending, try journal.mustHearAnswer(pending, before: remote, entity: incoming.entity) {
            // What of the unsent edits this version has already, the answer to the operation will tell.
            return try keep(record, name, reason: Store.answerReason, isParked: true)
        }
        let row: RowKey?
        do {
            row = traces.isHere ? try existingRow(name, entity: incoming.entity) : nil
            let reason = try write(incoming, of: record, row: row, pending: pending, remote: remote, joined: joined)
            if let reason {
                return try keep(record, name, reason: reason, isParked: false)
            }
        } catch let error as StoreError {
            return try keep(record, name, reason: error.description, isParked: false)
        }
        try store.setRecordState(state, of: name, table: incoming.entity.table)
        if traces.isBuried { try store.forgetDeletion(of: name) }
        if !keepsWaiting, traces.isWaiting { try store.removeFromInbox(name) }
        try noteSeen(name)
        summary.appliedCount += 1
        return .applied
    }

    /// After the service lost its memory an edit that is newer than the deletion is a person's later word. A deletion by a stage's code gives
    /// way to any that it did not know of.
    private func deletionStands(
        _ pending: PendingChange, against remote: RemoteRecord, tag: String?, entity: StoredEntity? = nil
    ) throws -> Bool {
        if let entity, pending.service?.tag != tag, outlivesDeletion(remote, pending, entity: entity) {
            try store.forgetPending(pending.name)
            return false
        }
        if pending.service?.tag != tag, try store.isDeletedByStage(pending) {
            try store.forgetPending(pending.name)
            return false
        }
        guard let deletedAt = try store.deletion(of: pending.name), remote.latestEdit > deletedAt else { return true }
        try store.forgetPending(pending.name)
        return false
    }

    private func existingRow(_ name: RecordName, entity: StoredEntity) throws -> RowKey? {
        guard let row = try store.row(named: name) else { return nil }
        guard row.table == entity.table, try store.entity(of: row)?.name == entity.name else {
            throw StoreError.nameInUse(name, entity: entity.name)
        }
        return row
    }

    /// Writes the row. Returns why it has to wait, or nil.
    private mutating func write(
        _ incoming: RecordMapping.Incoming, of record: Record, row: RowKey?, pending: PendingChange?, remote: RemoteRecord, joined: MergeMetadata?
    ) throws -> String? {
        let name = RecordName(record.recordName)
        guard let row else {
            let (cells, missing) = try storedCells(incoming.cells, of: incoming.entity)
            if let target = waits(for: missing) { return Self.waitingReason(target) }
            _ = try store.insertRow(incoming.entity, name: name, cells: cells)
            // Its type went and came back.
            if let pending, pending.departed != nil { try settle(pending, kept: [], record, remote, entity: incoming.entity) }
            return nil
        }
        // A value whose file is lost is equal to none: the service's takes its place, unless it was edited here.
        var lost: Set<String> = []
        guard let stored = try store.row(at: row, onFault: { lost.insert($0.attribute ?? "") }) else { return nil }
        var local = journal.mapping.cells(of: stored, as: incoming.entity)
        for column in incoming.entity.columns {
            guard let name = store.layout.table(of: incoming.entity).columns[column].attribute?.name, lost.contains(name) else { continue }
            local[column] = .attribute(.unreadable)
        }
        let merge = try merge(local: local, incoming: incoming, pending: pending, remote: remote, joined: joined)
        let (cells, missing) = try storedCells(merge.taken, of: incoming.entity)
        if let target = waits(for: missing) { return Self.waitingReason(target) }
        try store.updateRow(row, of: incoming.entity, cells: cells)
        if let pending {
            try settle(pending, kept: merge.kept, record, remote, entity: incoming.entity)
            try combine(merge, in: row, named: name, of: incoming.entity)
        }
        return nil
    }

    /// What is still to be sent of a record, on top of the service's version.
    private func settle(
        _ pending: PendingChange, kept: Set<Int>, _ record: Record, _ remote: RemoteRecord, entity: StoredEntity
    ) throws {
        let isOwed = try journal.settleOwed(record, remote, policy: journal.rules(of: entity).whole)
        if kept.isEmpty, !isOwed { try store.forgetMerged(pending) } else { try store.rebasePending(pending, keeping: kept) }
    }

    /// A version of a record whose type went from this device's schema. It is not written; but what is still to be sent of it is merged with it.
    private func applyDeparted(_ record: Record, name: RecordName) throws {
        guard let pending = try store.pendingChange(of: name), pending.departed != nil else { return }
        // The answer to a deletion that is on its way tells what it was meant for.
        if pending.isDeleted, pending.isInFlight { return }
        let remote = RemoteRecord(record: record, device: journal.device, latestStamp: latestStamp)
        let state = RecordState(
            tag: record.changeTag, wireName: record.recordName == name.text ? nil : record.recordName, meta: remote.keptMetadata)
        if pending.isDeleted {
            guard try deletionStands(pending, against: remote, tag: record.changeTag) else { return try store.removeRecordState(of: name) }
            try store.setRecordState(state, of: name, table: nil)
            return try store.markReconciled(name)
        }
        guard try journal.settleOwed(record, remote, policy: .latestEdit) else {
            try store.removeRecordState(of: name)
            return try store.forgetMerged(pending)
        }
        try store.setRecordState(state, of: name, table: nil)
        try store.rebasePending(pending, keeping: [])
    }

    // MARK: Cells

    /// Targets of references that are not here.
    struct Missing {
        var optional: RecordName?
        var required: RecordName?

    }

    /// What the record has to wait for. A required reference is never left empty: until its target comes, a record that is new stays out of
    /// sight and one that is here stays as it is, with everything that refers to it.
    private func waits(for missing: Missing) -> RecordName? {
        (clearsRequiredReferences ? nil : missing.required) ?? (clearsMissingReferences ? nil : missing.optional)
    }

    private static func waitingReason(_ target: RecordName) -> String { "it refers to \(target), which has not come yet" }

    /// Cells as the store takes them, and the references whose targets are not here.
    func storedCells(_ cells: [Int: WireCell], of entity: StoredEntity) throws -> ([Cell], Missing) {
        let columns = store.layout.table(of: entity).columns
        var stored: [Cell] = []
        var missing = Missing()
        for (column, cell) in cells.sorted(by: { $0.key < $1.key }) {
            switch cell {
            case .attribute(let value):
                guard let attribute = columns[column].attribute else { continue }
                var property = value.property(as: attribute.type) ?? .null
                // A device whose schema lacks this attribute sends records without it.
                if property.isNull, !attribute.isOptional { property = attribute.defaultValue ?? .zero(of: attribute.type) }
                stored.append(Cell(column: column, value: property.stored))
            case .reference(let target):
                guard let table = columns[column].referencedTable.flatMap(store.layout.tableIndex) else { continue }
                let key = try target.flatMap { try store.key(of: $0, table: table)?.key }
                if key == nil, let target {
                    if entity.requiresReference(inColumn: column) { missing.required = target } else { missing.optional = target }
                }
                stored.append(Cell(column: column, value: SQLiteValue(key)))
            }
        }
        return (stored, missing)
    }

    private mutating func keep(_ record: Record, _ name: RecordName, reason: String, isParked: Bool) throws -> Outcome {
        try store.keepInInbox(name, type: record.recordType, body: try record.encoded(), reason: reason, isParked: isParked)
        summary.inboxCount += 1
        // A record that waits is there: a full fetch must not take the row that it belongs to for deleted.
        try noteSeen(name)
        return .waiting(reason: reason)
    }

    func noteSeen(_ name: RecordName) throws {
        if let fullFetch { try store.markSeen(name, fetch: fullFetch) }
    }
}
