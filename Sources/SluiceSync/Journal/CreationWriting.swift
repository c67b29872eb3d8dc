// Records that were made here and that the service has never heard of, which are all of a first sync: written from the columns of their rows to
// the request's bytes, with nothing put together on the way. What comes out is what the general way makes of them, byte for byte.

import Foundation
import SluiceRecords
import SluiceSQLite
import SluiceSchema
import SluiceStore

/// Writes creations of one batch.
struct CreationWriter {
    private let journal: SyncJournal
    private let number: Int64
    private let latestStamp: Int64?
    private var forms: [String: CreationForm] = [:]
    /// Of the row that is written, by position in its form.
    private var cells: [WireCell] = []

    /// - Parameters:
    ///   - number: of the operation.
    ///   - latestStamp: no edit is stamped later than this, by the service's clock; nil before it is known.
    init(_ journal: SyncJournal, number: Int64, latestStamp: Int64?) {
        self.journal = journal
        self.number = number
        self.latestStamp = latestStamp
    }

    /// Writes the operation that makes the record.
    /// - Returns: its metadata; nil where there is more to this change than a plain creation, and nothing was written.
    mutating func write(_ change: PendingChange, to writer: inout JSONWriter) throws -> Data? {
        guard change.isInserted, !change.isDeleted, !change.hasFields, !change.isOwed, change.service == nil, let key = change.row,
            !journal.omitsMetadata
        else { return nil }
        let form = try journal.store.withColumns(ofRow: key) { entity, columns in try read(columns, of: entity) }
        guard let form else { return nil }
        // The same for all columns: nobody edited any since.
        let created = change.isImported ? 0 : try journal.store.editStamp(at: change.first)
        let stamped = form.stampOrder.lazy.filter { [cells] in !cells[$0].isNull }.map { [cells] in (name: form.columns[$0].field, hash: cells[$0].hash64) }
        let metadata = MergeMetadata.encodedCreation(
            by: journal.device, operation: number, stamp: max(0, min(created, latestStamp ?? created)), fields: Array(stamped))
        try write(change.name, form, metadata, to: &writer)
        return metadata
    }

    /// Takes the row's values down; nil where they have to go the general way.
    private mutating func read(_ columns: RowColumns, of entity: StoredEntity) throws -> CreationForm? {
        guard journal.rules(of: entity).counters.isEmpty else { return nil }
        let form = form(of: entity)
        cells.removeAll(keepingCapacity: true)
        for column in form.columns {
            guard let type = column.type else {
                cells.append(.reference(columns.reference(inColumn: column.position)))
                continue
            }
            let value: WireValue
            // A fault is told by who knows whose it is.
            do { value = WireValue(try columns.property(inColumn: column.position, as: type)) } catch { return nil }
            guard value.companion == nil else { return nil }
            cells.append(.attribute(value))
        }
        return form
    }

    private mutating func form(of entity: StoredEntity) -> CreationForm {
        if let form = forms[entity.name] { return form }
        let form = CreationForm(entity, in: journal.store.layout.table(of: entity))
        forms[entity.name] = form
        return form
    }

    // MARK: JSON, in the order of `RecordOperation` and `Record`

    private func write(_ name: RecordName, _ form: CreationForm, _ metadata: Data, to writer: inout JSONWriter) throws {
        writer.beginObject()
        writer.member("operationType", RecordOperation.Kind.create.rawValue)
        writer.key("record")
        writer.beginObject()
        writer.member("recordName", name.text)
        writer.member("recordType", form.recordType)
        writer.key("fields")
        writer.beginObject()
        for place in 0..<form.countBeforeMetadata { try writeField(place, form, to: &writer) }
        writer.key(RecordMapping.metadataField)
        try Field(.bytes(metadata)).write(to: &writer)
        for place in form.countBeforeMetadata..<form.columns.count { try writeField(place, form, to: &writer) }
        writer.endObject()
        writer.key("pluginFields")
        writer.beginObject()
        writer.endObject()
        writer.member("deleted", false)
        writer.endObject()
        writer.endObject()
    }

    private func writeField(_ place: Int, _ form: CreationForm, to writer: inout JSONWriter) throws {
        switch cells[place] {
        case .attribute(let value):
            guard let value = value.value else { return }
            writer.key(form.columns[place].field)
            try Field(value).write(to: &writer)
        case .reference(let target):
            guard let target else { return }
            writer.key(form.columns[place].field)
            // Other clients compare names as text: the target is called what the service calls it.
            try Field(.reference(Reference(recordName: try journal.store.wireName(of: target)))).write(to: &writer)
        }
    }
}
