// What this device has added to counted fields, for the metadata of what it sends and for merges (CounterMerge has the rules).

import SluiceRecords
import SluiceSQLite
import SluiceSchema
import SluiceStore

extension SyncJournal {
    /// The number that an unsent edit of a counted field was made on top of; nil where no person's edit stands behind the value.
    func counterBase(
        of column: Int, pending: PendingChange, changed: [Int: (first: Int64, last: Int64)], entity: StoredEntity
    ) throws -> Int64? {
        let attribute = store.layout.table(of: entity).columns[column].attribute
        let start = attribute?.countedFrom ?? 0
        if pending.isInserted, !pending.isImported { return start }
        guard let range = changed[column], range.first > 0, let old = try store.oldValue(table: entity.table, column: column, at: range.first) else {
            return nil
        }
        return old.integer ?? start
    }

    /// The same against another version of the record.
    /// - Parameters:
    ///   - local: the number here.
    ///   - known: the metadata of the last version that this device knew.
    func counterBase(
        of column: Int, local: Int64, pending: PendingChange, changed: [Int: (first: Int64, last: Int64)], entity: StoredEntity,
        known: MergeMetadata?, theirs: MergeMetadata?
    ) throws -> Int64? {
        let base = try counterBase(of: column, pending: pending, changed: changed, entity: entity)
        guard base != nil, let theirs, let row = pending.row, let position = try store.syncValue(.restoredAt)?.integer,
            changed[column]?.first ?? pending.first <= position,
            try formerDevices.contains(where: { theirs.operations[$0, default: 0] > known?.operations[$0] ?? 0 })
        else { return base }
        // The device that this store is a copy of went on, and whatever it sent had the edits that are in the copy.
        guard let next = try store.firstChange(of: row, column: column, after: position) else { return local }
        return try store.oldValue(table: entity.table, column: column, at: next)?.integer ?? base
    }

    /// What this copy of the store was called before it was set back to an older state.
    private var formerDevices: [UInt64] {
        get throws {
            (try store.syncValue(.formerDevices)?.text ?? "").split(separator: ",").compactMap { Int64($0) }.map(UInt64.init(bitPattern:))
        }
    }

    /// Notes in the metadata of an operation what it adds to counted fields.
    /// - Parameter cells: what the operation sends.
    func count(
        _ cells: [Int: WireCell], of change: PendingChange, changed: [Int: (first: Int64, last: Int64)], entity: StoredEntity,
        in metadata: inout MergeMetadata
    ) throws {
        let counters = rules(of: entity).counters
        guard !counters.isEmpty else { return }
        metadata.beginCounting()
        for column in counters.sorted() {
            guard let number = cells[column]?.number, let field = mapping.wireName(ofColumn: column, in: entity),
                let base = try counterBase(of: column, pending: change, changed: changed, entity: entity)
            else { continue }
            metadata.count(number &- base, of: field, by: device)
        }
    }

    /// The metadata of the service's version, with what it says less of than this device knew when the service lost its memory; nil where it
    /// did not, or nothing is counted.
    func joined(_ remote: RemoteRecord, tag: String?, pending: PendingChange?, entity: StoredEntity) throws -> MergeMetadata? {
        guard let service = pending?.service, !rules(of: entity).counters.isEmpty, var metadata = remote.metadata, metadata.counters != nil,
            let known = service.meta.flatMap({ MergeMetadata(encoded: $0) }), isEarlier(metadata, tag: tag, than: known, tag: service.tag)
        else { return nil }
        metadata.join(known)
        return metadata
    }

    private func isEarlier(_ metadata: MergeMetadata, tag: String?, than known: MergeMetadata, tag knownTag: String?) -> Bool {
        // A record without a tag, of which there is metadata, is one that the service had before.
        guard let knownTag else { return true }
        if let number = metadata.operations[device], number < known.operations[device] ?? 0 { return true }
        guard let now = tag.flatMap(ChangeTag.init(text:)), let before = ChangeTag(text: knownTag) else { return false }
        return now.sequence < before.sequence
    }

    /// Whether the service's version does not tell which of this device's operations it has, while one with counted fields is on its way.
    func mustHearAnswer(_ pending: PendingChange, before remote: RemoteRecord, entity: StoredEntity) throws -> Bool {
        guard pending.isInFlight, !pending.isDeleted, remote.metadata?.counters == nil, !rules(of: entity).counters.isEmpty else { return false }
        return try store.metadataInFlight(of: pending.name).flatMap { MergeMetadata(encoded: $0) }?.counters != nil
    }

    /// A version that an operation of this device wrote which this device never sent shows that there is a copy of this store, or that this
    /// is one: from now on it goes by another name, or what the two add could not be told apart.
    func noticeCopy(_ number: Int64?) throws {
        guard let number, try number >= store.nextOperationNumber(),
            try store.frozenOperationNumbers().isEmpty
        else { return }
        try renewDevice()
    }
}

extension Attribute {
    /// The number that a new record's counter begins at.
    var countedFrom: Int64 { defaultValue.flatMap { WireCell.attribute(WireValue($0)).number } ?? 0 }
}
