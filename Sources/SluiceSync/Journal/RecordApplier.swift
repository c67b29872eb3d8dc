// Applies single records of the service to the store, inside a write transaction of origin `pull`.
//
// - An echo of our own write is recognised by its change tag, never by its device.
// - A record without unsent edits here takes the service's values. With unsent edits it is merged field by field (FieldMerge).
// - A deletion wins over an edit (`deleteWins`); the lost edit stays readable in history. A row that was made here and never acknowledged
//   beats a tombstone of its name.

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
    var summary = PageSummary()

    private var store: Store { journal.store }

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
            try applyDeletion(of: name)
            return .applied
        }
        if !evenIfKnown, let tag = record.changeTag, try store.recordState(of: name)?.tag == tag {
            summary.knownCount += 1
            try noteSeen(name)
            return .applied
        }
        guard let incoming = journal.mapping.incoming(record) else {
            return try keep(record, name, reason: "this device's schema has no record type \(record.recordType ?? "(none)")", isParked: true)
        }
        return try apply(record, name: name, incoming: incoming, keepsWaiting: keepsWaiting)
    }

    private mutating func apply(
        _ record: Record, name: RecordName, incoming: RecordMapping.Incoming, keepsWaiting: Bool
    ) throws -> Outcome {
        let pending = try store.pendingChange(of: name)
        var state = RecordState(tag: record.changeTag, wireName: record.recordName == name.text ? nil : record.recordName)
        let remote = RemoteRecord(record: record, incoming: incoming, latestStamp: latestStamp)
        state.meta = remote.metadata?.encoded
        state.extra = incoming.unknown.isEmpty ? nil : try incoming.unknown.canonicalJSON()
        if let pending, pending.isDeleted, try deletionStands(pending, against: remote) {
            // The deletion is sent again, against the version that is there now.
            try store.setRecordState(state, of: name, table: incoming.entity.table)
            try noteSeen(name)
            return .applied
        }
        let row: RowKey?
        do {
            row = try existingRow(name, entity: incoming.entity)
            if let reason = try write(incoming, name: name, row: row, pending: pending, remote: remote) {
                return try keep(record, name, reason: reason, isParked: false)
            }
        } catch let error as StoreError {
            return try keep(record, name, reason: error.description, isParked: false)
        }
        try store.setRecordState(state, of: name, table: incoming.entity.table)
        try store.forgetDeletion(of: name)
        if !keepsWaiting { try store.removeFromInbox(name) }
        try noteSeen(name)
        summary.appliedCount += 1
        return .applied
    }

    /// After the service lost its memory an edit that is newer than the deletion is a person's later word.
    private func deletionStands(_ pending: PendingChange, against remote: RemoteRecord) throws -> Bool {
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
        _ incoming: RecordMapping.Incoming, name: RecordName, row: RowKey?, pending: PendingChange?, remote: RemoteRecord
    ) throws -> String? {
        guard let row else {
            let (cells, missing) = try storedCells(incoming.cells, of: incoming.entity)
            if let missing, !clearsMissingReferences { return "it refers to \(missing), which has not come yet" }
            _ = try store.insertRow(incoming.entity, name: name, cells: cells)
            return nil
        }
        guard let stored = try store.row(at: row) else { return nil }
        let local = journal.mapping.cells(of: stored, as: incoming.entity)
        let merge = try merge(local: local, incoming: incoming, pending: pending, remote: remote)
        let (cells, missing) = try storedCells(merge.taken, of: incoming.entity)
        if let missing, !clearsMissingReferences { return "it refers to \(missing), which has not come yet" }
        try store.updateRow(row, of: incoming.entity, cells: cells)
        guard let pending else { return nil }
        if merge.kept.isEmpty { try store.forgetPending(name) } else { try store.rebasePending(pending, keeping: merge.kept) }
        return nil
    }

    // MARK: Merging

    private struct MergeResult {
        var taken: [Int: WireCell] = [:]
        var kept: Set<Int> = []
    }

    private mutating func merge(
        local: [Int: WireCell], incoming: RecordMapping.Incoming, pending: PendingChange?, remote: RemoteRecord
    ) throws -> MergeResult {
        var result = MergeResult()
        let changed = try pending.map { try store.pendingFields(of: $0.name) } ?? [:]
        let known = pending?.service?.meta.flatMap { MergeMetadata(encoded: $0) }
        let policy = journal.policy(of: incoming.entity)
        for column in incoming.entity.columns {
            guard let mine = local[column], let theirs = incoming.cells[column] else { continue }
            let field = journal.mapping.wireName(ofColumn: column, in: incoming.entity) ?? ""
            let isChanged = pending.map { $0.isInserted || changed[column] != nil } ?? false
            let stamp = try isChanged ? pending.map { try journal.editStamp(of: column, change: $0, changed: changed, known: known?.stamps[field]) } : nil
            let localField = LocalField(
                cell: mine, isChanged: isChanged,
                base: try pending.flatMap { try base(of: column, pending: $0, changed: changed, entity: incoming.entity) },
                stamp: min(stamp ?? 0, latestStamp))
            let remoteField = RemoteField(cell: theirs, stamp: remote.stamp(of: field, cell: theirs))
            let decision = FieldMerge.decide(local: localField, remote: remoteField, policy: policy)
            if isChanged, decision != .same, localField.base != theirs { summary.conflictCount += 1 }
            switch decision {
            case .same: break
            case .takeRemote: result.taken[column] = theirs
            case .keepLocal: result.kept.insert(column)
            }
        }
        return result
    }

    /// The value before the first unacknowledged edit, in wire form; nil where none is known.
    private func base(
        of column: Int, pending: PendingChange, changed: [Int: (first: Int64, last: Int64)], entity: StoredEntity
    ) throws -> WireCell? {
        guard let range = changed[column], !pending.isInserted,
            let old = try store.oldValue(table: entity.table, column: column, at: range.first)
        else { return nil }
        let definition = store.layout.table(of: entity).columns[column]
        if let attribute = definition.attribute {
            return .attribute(WireValue(PropertyValue(stored: old, as: attribute.type)))
        }
        guard let key = old.integer else { return .reference(nil) }
        guard let table = definition.referencedTable.flatMap(store.layout.tableIndex) else { return nil }
        return try store.name(of: RowKey(table: table, key: key)).map { .reference($0) }
    }

    // MARK: Cells

    /// Cells as the store takes them, and the first reference whose target is not here.
    func storedCells(_ cells: [Int: WireCell], of entity: StoredEntity) throws -> ([Cell], missing: RecordName?) {
        let columns = store.layout.table(of: entity).columns
        var stored: [Cell] = []
        var missing: RecordName?
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
                if key == nil, let target { missing = missing ?? target }
                stored.append(Cell(column: column, value: SQLiteValue(key)))
            }
        }
        return (stored, missing)
    }

    private mutating func keep(_ record: Record, _ name: RecordName, reason: String, isParked: Bool) throws -> Outcome {
        try store.keepInInbox(name, type: record.recordType, body: try record.encoded(), reason: reason, isParked: isParked)
        summary.inboxCount += 1
        return .waiting(reason: reason)
    }

    private func noteSeen(_ name: RecordName) throws {
        if let fullFetch { try store.markSeen(name, fetch: fullFetch) }
    }

    // MARK: Deletions

    mutating func applyDeletion(of name: RecordName) throws {
        try store.removeFromInbox(name)
        let pending = try store.pendingChange(of: name)
        // Made here and never acknowledged: a new incarnation under an old name.
        if let pending, pending.isInserted, !pending.isImported, pending.service?.tag == nil { return }
        let row = try store.row(named: name)
        if let row { try store.deleteRow(row) }
        try store.forgetPending(name)
        try store.removeRecordState(of: name)
        if let table = row?.table ?? pending?.row.table { try store.rememberDeletion(of: name, table: table) }
        if row != nil { summary.deletedCount += 1 }
    }

    /// A lookup found no record of that name.
    mutating func applyAbsence(of name: RecordName) throws {
        guard let pending = try store.pendingChange(of: name) else { return }
        if pending.isInserted { try store.restartPending(name) } else { try applyDeletion(of: name) }
    }
}

/// A record of the service, with what its metadata says of each field.
struct RemoteRecord {
    let metadata: MergeMetadata?
    private let modified: Int64
    private let latestStamp: Int64

    init(record: Record, incoming: RecordMapping.Incoming, latestStamp: Int64) {
        self.latestStamp = latestStamp
        modified = min(record.modified?.timestamp ?? 0, latestStamp)
        guard var metadata = incoming.metadata else {
            self.metadata = nil
            return
        }
        // A clock that runs ahead must not win for ever: its stamps are lowered once, here, and stored so.
        for (field, stamp) in metadata.stamps where stamp.milliseconds > latestStamp { metadata.stamps[field]?.milliseconds = latestStamp }
        self.metadata = metadata
    }

    /// When the field was last edited. A value that its stamp does not cover was written by a client that does not keep stamps.
    func stamp(of field: String, cell: WireCell) -> Int64 {
        guard let metadata else { return modified }
        if let stamp = metadata.stamps[field] { return stamp.hash == cell.hash64 ? stamp.milliseconds : modified }
        return cell.isNull ? 0 : modified
    }

    /// The latest edit of any field.
    var latestEdit: Int64 { metadata.map { $0.stamps.values.map(\.milliseconds).max() ?? 0 } ?? modified }
}
