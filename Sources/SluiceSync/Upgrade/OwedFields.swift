// What is owed of a record: edits of fields that this device's schema no longer has (OwedEdits keeps them).
//
// 1. It goes along with the record's next operation, under the stamps of its edits, and is settled with that.
// 2. Where the service has another version of the record, each field is merged like any: by the value before the edit, and then by policy.
// 3. Should the schema have the field again by the time that it is sent, the record is taken over from the feed once more.

import Foundation
import SluiceRecords
import SluiceSchema
import SluiceStore

struct OwedField {
    let edit: OwedEdit
    let fields: [String: Field]
    let cell: WireCell

    init(_ edit: OwedEdit) throws {
        self.edit = edit
        fields = try [String: Field].decode(JSONValue(parsing: edit.body))
        cell = WireCell(edit.field, of: fields, isReference: edit.isReference)
    }
}

struct OwedFields {
    let fields: [OwedField]
    /// Fields that somebody cleared: a whole record goes without them.
    let cleared: Set<String>

    func add(to record: inout [String: Field], _ metadata: inout MergeMetadata, latestStamp: Int64?) {
        for field in fields where record[field.edit.field] == nil {
            record.merge(field.fields) { present, _ in present }
            metadata.stamp(field.edit.field, hash: field.cell.hash64, edited: field.edit.stamp, latest: latestStamp)
        }
    }
}

extension WireCell {
    /// The cell of a field that this device's schema does not have.
    init(_ name: String, of fields: [String: Field], isReference: Bool) {
        if isReference {
            if case .reference(let reference)? = fields[name]?.value {
                self = .reference(RecordName(reference.recordName))
            } else {
                self = .reference(nil)
            }
            return
        }
        var value = WireValue(value: fields[name]?.value)
        if case .string(let text)? = fields[WireValue.companionName(of: name)]?.value { value.companion = text }
        self = .attribute(value)
    }
}

extension SyncJournal {
    /// What an operation for the record takes along.
    /// - Parameter edited: fields that the schema has again, with later edits.
    func owed(of change: PendingChange, isWhole: Bool, except edited: Set<String>) throws -> OwedFields {
        guard change.isOwed else { return OwedFields(fields: [], cleared: []) }
        let all = try store.owedEdits(of: change.name).filter { !edited.contains($0.field) }.map(OwedField.init)
        return OwedFields(
            fields: all.filter { isWhole ? !$0.cell.isNull : $0.edit.last > 0 },
            cleared: isWhole ? Set(all.filter(\.cell.isNull).map(\.edit.field)) : [])
    }

    /// Decides what is owed of a record against the service's version of it.
    /// - Returns: whether something is still owed.
    func settleOwed(_ record: Record, _ remote: RemoteRecord, policy: ConflictPolicy) throws -> Bool {
        let name = RecordName(record.recordName)
        var isOwed = false
        for edit in try store.owedEdits(of: name) {
            let own = try OwedField(edit)
            let theirs = WireCell(edit.field, of: record.fields, isReference: edit.isReference)
            let isKept: Bool
            if edit.last == 0 {
                isKept = false
            } else if let base = edit.base, base == theirs.hash64 {
                isKept = own.cell != theirs
            } else {
                let decision = FieldMerge.decide(
                    local: LocalField(cell: own.cell, isChanged: true, base: nil, stamp: edit.stamp),
                    remote: RemoteField(cell: theirs, stamp: remote.stamp(of: edit.field, cell: theirs)), policy: policy)
                isKept = decision == .keepLocal
            }
            if isKept { isOwed = true } else { try store.forgetOwed(edit.field, of: name) }
        }
        return isOwed
    }

    /// Before an acknowledgement: what was owed is on the service from now on.
    func noteSettledEdits(of name: RecordName, through sent: Int64, in state: inout RecordState) throws {
        let settled = try store.owedEdits(of: name).filter { $0.last <= sent }.map(OwedField.init)
        guard !settled.isEmpty, let row = try store.row(named: name), let entity = try store.entity(of: row) else { return }
        let known = Set(entity.wireNames)
        var extra = try state.extra.map { try [String: Field].decode(JSONValue(parsing: $0)) } ?? [:]
        for field in settled where !known.contains(field.edit.field) {
            for (name, value) in field.fields { extra[name] = value.value == nil ? nil : value }
        }
        state.extra = extra.isEmpty ? nil : try extra.canonicalJSON()
        if settled.contains(where: { known.contains($0.edit.field) }) { state.tag = Store.outdatedTag }
    }
}
