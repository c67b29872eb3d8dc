// From pending changes to frozen operations. Each record's operation is encoded by itself, so that batches are cut by their real size and a record
// that is too large for any batch is set aside alone.

package import Foundation
package import SluiceRecords
package import SluiceStore
import SluiceSQLite
import SluiceSchema

extension SyncJournal {
    /// Freezes up to `count` operations of what may be sent at `now`.
    /// - Parameters:
    ///   - now: milliseconds since 1970 by this device's clock.
    ///   - latestStamp: no edit is stamped later than this, by the service's clock; nil before it is known.
    /// - Returns: the operations; fewer than `count` where nothing more waits.
    package func freeze(
        _ count: Int, limits: ServiceLimits, at now: Int64, latestStamp: Int64?, identifier: () -> UUID
    ) throws -> [QueuedOperation] {
        try store.connection.transaction {
            try store.drainChanges()
            omitsMetadata = try !sendsMetadata(at: now)
            var frozen: [QueuedOperation] = []
            while frozen.count < count {
                guard let operation = try freezeOne(limits: limits, at: now, latestStamp: latestStamp, identifier: identifier()) else { break }
                frozen.append(operation)
            }
            return frozen
        }
    }

    /// nil where nothing may be sent.
    private func freezeOne(limits: ServiceLimits, at now: Int64, latestStamp: Int64?, identifier: UUID) throws -> QueuedOperation? {
        while true {
            let changes = try store.pendingChanges(limit: limits.operations, at: now)
            guard !changes.isEmpty else { return nil }
            let (body, members) = try batch(changes, limits: limits, latestStamp: latestStamp)
            // Where every one of them was set aside or had nothing to say, the next ones have their turn.
            if !members.isEmpty { return try store.freeze(id: identifier, body: body, members: members) }
        }
    }

    private func batch(
        _ changes: [PendingChange], limits: ServiceLimits, latestStamp: Int64?
    ) throws -> (Data, [Store.OperationMember]) {
        let number = try store.nextOperationNumber()
        var body = ModifyBody(zone: zone)
        var members: [Store.OperationMember] = []
        var creations = CreationWriter(self, number: number, latestStamp: latestStamp)
        var operation = JSONWriter()
        for change in changes {
            operation.clear()
            let metadata: Data?
            if let creation = try creations.write(change, to: &operation) {
                metadata = creation
            } else {
                let built: (RecordOperation, MergeMetadata?)?
                do { built = try self.operation(for: change, number: number, latestStamp: latestStamp) } catch let fault as ExternalValueFault {
                    // A file that is lost must not keep the other records from being sent.
                    try store.setAside(change.name, reason: fault.description)
                    continue
                }
                guard let built else {
                    // Nothing is left to send for it: the row went in a way that the service need not hear of.
                    try store.forgetPending(change.name)
                    if change.departed != nil { try store.removeRecordState(of: change.name) }
                    continue
                }
                try built.0.write(to: &operation)
                metadata = built.1?.encoded
            }
            if operation.count > min(ServiceLimits.recordBytes, limits.bytes - body.overhead) {
                try store.setAside(change.name, reason: "the record has \(operation.count) bytes, more than the service takes; make it smaller")
                continue
            }
            guard body.count + operation.count + 1 <= limits.bytes else { break }
            body.append(operation)
            members.append(.init(change: change, meta: metadata))
        }
        return (try body.finished(), members)
    }

    /// The general way, which holds for every change (`CreationWriter` has the short one).
    /// - Returns: the operation and its metadata; nil where nothing is left to send.
    func operation(
        for change: PendingChange, number: Int64, latestStamp: Int64?
    ) throws -> (RecordOperation, MergeMetadata?)? {
        let wireName = change.service?.wireName ?? change.name.text
        if change.isDeleted {
            // Without a tag the service may know more than we do; it is told all the same, so that the name stays dead.
            let kind: RecordOperation.Kind = change.service?.tag == nil ? .forceDelete : .delete
            return (RecordOperation(kind, Record(wireName, changeTag: change.service?.tag)), nil)
        }
        let isWhole = change.isInserted || change.service?.tag == nil
        var metadata = change.service?.meta.flatMap { MergeMetadata(encoded: $0) } ?? MergeMetadata()
        metadata.note(operation: number, of: device)
        var fields: [String: Field]
        let type: String
        /// Fields with edits in columns of their own; cleared ones are not among `fields` of a whole record.
        var edited: Set<String> = []
        if let row = change.row {
            let changed = change.hasFields ? try store.pendingFields(of: change.name) : [:]
            // What is not sent need not be read: it may be large, and lie in a file.
            let sent = isWhole ? nil : store.attributes(ofColumns: changed.keys, table: row.table)
            guard let row = try store.row(at: row, attributes: sent), let entity = store.layout.entities[row.entity] else { return nil }
            var cells = mapping.cells(of: row, as: entity)
            if !isWhole { cells = cells.filter { changed[$0.key] != nil } }
            // The same for all columns that nobody edited since.
            let created = change.isInserted && !change.isImported ? try store.editStamp(at: change.first) : nil
            for (column, cell) in cells where !isWhole || !cell.isNull {
                guard let field = mapping.wireName(ofColumn: column, in: entity) else { continue }
                let edited = try editStamp(of: column, change: change, changed: changed, created: created, known: metadata.stamps[field])
                metadata.stamp(field, hash: cell.hash64, edited: edited, latest: latestStamp)
            }
            try count(cells, of: change, changed: changed, entity: entity, in: &metadata)
            // Other clients compare names as text: the target is called what the service calls it.
            fields = try mapping.fields(cells, of: entity, clearing: !isWhole) { try store.wireName(of: $0) }
            edited = Set(changed.keys.compactMap { mapping.wireName(ofColumn: $0, in: entity) })
            type = entity.wireName
        } else {
            guard let departed = change.departed else { return nil }
            (fields, type) = ([:], departed.type)
        }
        let owed = try owed(of: change, isWhole: isWhole, except: edited)
        owed.add(to: &fields, &metadata, latestStamp: latestStamp)
        if change.departed != nil, !isWhole, fields.isEmpty { return nil }
        if !omitsMetadata { fields[RecordMapping.metadataField] = Field(.bytes(metadata.encoded)) }
        if isWhole { try addUnknownFields(change.service?.extra, except: owed.cleared, to: &fields) }
        let kind: RecordOperation.Kind = change.service?.tag == nil ? .create : change.isInserted ? .replace : .update
        return (RecordOperation(kind, Record(wireName, type: type, changeTag: change.service?.tag, fields: fields)), metadata)
    }

    /// When a person last edited the field here; 0 where nobody did.
    func editStamp(
        of column: Int, change: PendingChange, changed: [Int: (first: Int64, last: Int64)], known: MergeMetadata.Stamp?
    ) throws -> Int64 {
        let created = change.isInserted && !change.isImported ? try store.editStamp(at: change.first) : nil
        return try editStamp(of: column, change: change, changed: changed, created: created, known: known)
    }

    /// The same for one column of several.
    /// - Parameter created: when the record was made here, where it was made by a person.
    private func editStamp(
        of column: Int, change: PendingChange, changed: [Int: (first: Int64, last: Int64)], created: Int64?, known: MergeMetadata.Stamp?
    ) throws -> Int64 {
        if let range = changed[column], let row = change.row {
            return try store.editStamp(of: column, in: row, from: range.first, through: range.last)
        }
        return created ?? known?.milliseconds ?? 0
    }

    /// Fields of newer devices go along when a record is sent as a whole.
    private func addUnknownFields(_ extra: Data?, except cleared: Set<String>, to fields: inout [String: Field]) throws {
        guard let extra else { return }
        for (name, field) in try [String: Field].decode(JSONValue(parsing: extra)) where fields[name] == nil && !cleared.contains(name) {
            fields[name] = field
        }
    }
}

/// The body of `records/modify`, put together from operations that are encoded already. Not atomic: one bad record delays only itself.
private struct ModifyBody {
    private let zone: ZoneID
    private var writer = JSONWriter()
    /// Bytes around the operations, generously.
    let overhead: Int
    /// Bytes of the body, with all that comes around the operations.
    var count: Int { overhead + writer.count }

    init(zone: ZoneID) {
        self.zone = zone
        overhead = 256 + zone.zoneName.utf8.count * 6
        writer.beginObject()
        writer.member("atomic", false)
        writer.key("operations")
        writer.beginArray()
    }

    mutating func append(_ operation: JSONWriter) { writer.encoded(operation) }

    mutating func finished() throws -> Data {
        writer.endArray()
        try writer.member("zoneID", zone)
        writer.endObject()
        return writer.data
    }
}
