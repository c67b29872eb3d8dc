// What a merge decided, kept for people (`sluice conflicts`).

import SluiceSchema
import SluiceStore

extension RecordApplier {
    /// Two values of one field met.
    mutating func noteConflict(_ name: RecordName, _ column: Int, of entity: StoredEntity, here: WireCell, there: WireCell, _ decision: FieldDecision) throws {
        summary.conflictCount += 1
        guard !entity.isJoin, let property = zip(entity.columns, entity.propertyNames).first(where: { $0.0 == column })?.1 else { return }
        let outcome: SyncConflict.Outcome = switch decision {
        case .same, .combine: .both
        case .takeRemote: .service
        case .keepLocal: .device
        }
        let type = store.layout.table(of: entity).columns[column].attribute?.type
        try store.note(
            SyncConflict(
                name, entity: entity.name, kind: .field, outcome: outcome, property: property, here: here.text(as: type), there: there.text(as: type)))
    }

    /// An edit here met a deletion elsewhere. Only one that a person made is worth a word.
    func noteDeletion(_ pending: PendingChange, outcome: SyncConflict.Outcome) throws {
        guard let row = pending.row, !pending.isDeleted, let entity = try store.entity(of: row), !entity.isJoin else { return }
        let isEdited = try pending.isInserted || store.pendingFields(of: pending.name).contains { column, range in
            try store.editStamp(of: column, in: row, from: range.first, through: range.last) > 0
        }
        guard isEdited else { return }
        try store.note(SyncConflict(pending.name, entity: entity.name, kind: .deletion, outcome: outcome))
    }
}

extension WireCell {
    /// As a terminal shows it; nil for nothing.
    fileprivate func text(as type: AttributeType?) -> String? {
        switch self {
        case .reference(let name): name?.text
        case .attribute(let value):
            if let type, let property = value.property(as: type), property != .null { ScalarForm(property).text } else { nil }
        }
    }
}
