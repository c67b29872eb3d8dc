// The merge of one record with unsent edits here and the service's version of it, column by column (FieldMerge, CounterMerge).

import SluiceRecords
import SluiceSQLite
import SluiceSchema
import SluiceStore

/// What becomes of a row.
struct RecordMerge {
    /// What the service has, and whatever else does not have to be sent.
    var taken: [Int: WireCell] = [:]
    /// What is written over that as an edit of this device's own, so that the log has the base of the next merge.
    var combined: [Int: WireCell] = [:]
    /// What is still to be sent, with nobody's edit behind it.
    var resent: Set<Int> = []
    /// Everything that is still to be sent.
    var kept: Set<Int> = []
}

extension RecordApplier {
    /// - Parameter joined: the metadata of the service's version with what the service lost; nil where it lost nothing.
    mutating func merge(
        local: [Int: WireCell], incoming: RecordMapping.Incoming, pending: PendingChange?, remote: RemoteRecord, joined: MergeMetadata?
    ) throws -> RecordMerge {
        var result = RecordMerge()
        let side = try LocalSide(journal: journal, pending: pending, entity: incoming.entity)
        let rules = journal.rules(of: incoming.entity)
        for column in incoming.entity.columns {
            guard let mine = local[column], let theirs = incoming.cells[column] else { continue }
            let field = journal.mapping.wireName(ofColumn: column, in: incoming.entity) ?? ""
            let isOurs = try side.flying.map { remote.holds($0, field: field, cell: theirs) } ?? side.wrote(theirs, column, in: remote)
            let stamp = try side.editStamp(of: column, field: field)
            let localField = LocalField(
                cell: mine, isChanged: side.isChanged(column), base: isOurs ? theirs : try side.base(of: column),
                stamp: stamp.map { self.stamp($0, of: field, cell: mine, known: side.known, flying: side.flying) } ?? 0)
            var decision: FieldDecision?
            if rules[column] == .counter, localField.isChanged, joined != nil || localField.stamp > 0 {
                let isEdited = localField.stamp > 0
                decision = try counter(column, field, mine, theirs, isEdited: isEdited, side, remote, joined, incoming.entity)?
                    .decision(mine, against: theirs)
            }
            // What nobody edited yields, unless it was made here.
            if rules[column] == .union, localField.isChanged, localField.stamp > 0 || pending?.isInserted == true {
                decision = SetMerge.decision(mine, base: localField.base, against: theirs)
            }
            if let function = rules.functions[column], let attribute = store.layout.table(of: incoming.entity).columns[column].attribute {
                decision = FieldMerge.decision(of: function, localField, against: theirs, type: attribute.type)
            }
            let remoteField = RemoteField(cell: theirs, stamp: remote.stamp(of: field, cell: theirs))
            let decided = decision ?? FieldMerge.decide(local: localField, remote: remoteField, policy: rules[column])
            if localField.isChanged, decided != .same, localField.base != theirs, let pending {
                try noteConflict(pending.name, column, of: incoming.entity, here: mine, there: theirs, decided)
            }
            result.add(decided, column: column, theirs: theirs)
        }
        return result
    }

    private func counter(
        _ column: Int, _ field: String, _ mine: WireCell, _ theirs: WireCell, isEdited: Bool, _ side: LocalSide, _ remote: RemoteRecord,
        _ joined: MergeMetadata?, _ entity: StoredEntity
    ) throws -> CounterMerge? {
        guard let pending = side.pending, let attribute = store.layout.table(of: entity).columns[column].attribute else { return nil }
        // Whoever makes a record and leaves a counter empty has added nothing to it; whoever empties it later has.
        let empty = pending.isInserted ? attribute.countedFrom : nil
        guard let local = mine.number ?? empty, let number = theirs.number ?? empty else { return nil }
        let known = pending.service?.meta.flatMap { MergeMetadata(encoded: $0) }
        let base = try !isEdited ? nil : journal.counterBase(
            of: column, local: local, pending: pending, changed: side.changed, entity: entity, known: known, theirs: remote.metadata)
        return CounterMerge(
            field: field, local: local, base: base, remote: number, known: known, theirs: remote.metadata, joined: joined, device: journal.device,
            mayBeIncluded: pending.attempts > 0, range: attribute.type.integerRange)
    }

    /// An edit by a person is later than what it was made on top of; what nobody edited stays as old as can be.
    private func stamp(_ edited: Int64, of field: String, cell: WireCell, known: MergeMetadata?, flying: MergeMetadata?) -> Int64 {
        // What was sent keeps the stamp that it was sent with: others may have edited on top of that, and the bound moves on with the time.
        if let sent = flying?.stamps[field], sent.hash == cell.hash64 { return min(edited, sent.milliseconds) }
        let stamp = min(edited, latestStamp)
        return stamp > 0 ? known?.edited(field, hash: cell.hash64, at: stamp) ?? stamp : stamp
    }

    /// Writes what is of both sides over what the service has, once the rest is settled.
    func combine(_ merge: RecordMerge, in row: RowKey, named name: RecordName, of entity: StoredEntity) throws {
        if !merge.combined.isEmpty {
            let cells = try storedCells(merge.combined, of: entity).0
            try store.withOrigin(.local) { try store.updateRow(row, of: entity, cells: cells) }
            try store.restartFields(merge.combined.keys.sorted(), of: name, at: store.lastChange())
        }
        if !merge.resent.isEmpty { try store.restartFields(merge.resent.sorted(), of: name, at: 0) }
    }
}

extension RecordMerge {
    fileprivate mutating func add(_ decision: FieldDecision, column: Int, theirs: WireCell) {
        switch decision {
        case .same: break
        case .takeRemote: taken[column] = theirs
        case .keepLocal: kept.insert(column)
        case .combine(let base, let value):
            taken[column] = base
            if value != theirs { kept.insert(column) }
            if value != base { combined[column] = value } else if value != theirs { resent.insert(column) }
        }
    }
}

/// What this device knows of a record that it has unsent edits of.
private struct LocalSide {
    let journal: SyncJournal
    let pending: PendingChange?
    let entity: StoredEntity
    let changed: [Int: (first: Int64, last: Int64)]
    /// What it last said of the fields.
    let known: MergeMetadata?
    /// What the operation on its way says.
    let flying: MergeMetadata?

    init(journal: SyncJournal, pending: PendingChange?, entity: StoredEntity) throws {
        self.journal = journal
        self.pending = pending
        self.entity = entity
        changed = try pending.map { try journal.store.pendingFields(of: $0.name) } ?? [:]
        known = try pending.flatMap(journal.latestMetadata)
        flying = try pending.flatMap { try journal.store.metadataInFlight(of: $0.name) }.flatMap { MergeMetadata(encoded: $0) }
    }

    func isChanged(_ column: Int) -> Bool { pending.map { $0.isInserted || changed[column] != nil } ?? false }

    func editStamp(of column: Int, field: String) throws -> Int64? {
        guard let pending, isChanged(column) else { return nil }
        return try journal.editStamp(of: column, change: pending, changed: changed, known: known?.stamps[field])
    }

    /// Whether a value of the service is one that this device sent itself, in an operation whose answer it never heard: an edit here that
    /// differs was made on top of it then. The operation's number tells that there is such a write; where nobody keeps any, the content has to.
    func wrote(_ theirs: WireCell, _ column: Int, in remote: RemoteRecord) throws -> Bool {
        guard let pending, pending.attempts > 0, !pending.isInFlight, isChanged(column) else { return false }
        if let metadata = remote.metadata {
            guard metadata.operations[journal.device, default: 0] > known?.operations[journal.device] ?? 0 else { return false }
        }
        return try journal.passedThrough(theirs, column: column, pending: pending, changed: changed, entity: entity)
    }

    func base(of column: Int) throws -> WireCell? {
        try pending.flatMap { try journal.base(of: column, pending: $0, changed: changed, entity: entity) }
    }
}

extension AttributeType {
    /// The whole numbers that an attribute of this type can hold.
    fileprivate var integerRange: ClosedRange<Int64> {
        switch self {
        case .int16: Int64(Int16.min)...Int64(Int16.max)
        case .int32: Int64(Int32.min)...Int64(Int32.max)
        default: .min ... .max
        }
    }
}
