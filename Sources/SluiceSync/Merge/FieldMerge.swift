// The three-way merge of one record, field by field. Causality decides first: a side that did not change a field since the common base
// takes the other's value. Only fields that both changed ask the policy.
//
// Invariants
// 1. Pure: the same inputs give the same result on every device.
// 2. Where both sides hold the same wire value there is nothing to decide and nothing to send.
// 3. Ties go to the service's value, so that two devices with equal stamps agree.

import SluiceSchema

/// Who wins where both sides changed a field.
package enum ConflictPolicy: String, Sendable, Hashable, CaseIterable {
    /// The later edit, by stamps.
    case latestEdit
    case serverWins
    case clientWins
    /// Both: what each side added since the common base. Of single fields that hold whole numbers.
    case counter
    /// Both: what either side added to a set or a list, without what either took out. Of single fields that hold such.
    case union

    /// Those that can stand for all fields of an entity.
    package static let ofEntities: [ConflictPolicy] = [.latestEdit, .serverWins, .clientWins]
}

/// What this device knows of one field.
struct LocalField {
    let cell: WireCell
    /// Whether it was edited here since the service last acknowledged the record.
    let isChanged: Bool
    /// The value before the first of those edits; nil where none is known.
    let base: WireCell?
    /// When it was last edited; 0 where no person did.
    let stamp: Int64
}

struct RemoteField {
    let cell: WireCell
    let stamp: Int64
}

enum FieldDecision: Equatable {
    case same
    case takeRemote
    case keepLocal
    /// Something of both: `value`, which is `base` with this device's edit on top.
    case combine(base: WireCell, value: WireCell)
}

enum FieldMerge {
    static func decide(local: LocalField, remote: RemoteField, policy: ConflictPolicy) -> FieldDecision {
        if local.cell == remote.cell { return .same }
        guard local.isChanged else { return .takeRemote }
        if let base = local.base, base == remote.cell { return .keepLocal }
        switch policy {
        case .latestEdit: return local.stamp > remote.stamp ? .keepLocal : .takeRemote
        case .serverWins: return .takeRemote
        case .clientWins: return .keepLocal
        // Where one side has no number, or no list, there is nothing to put together.
        case .counter, .union: return local.stamp > remote.stamp ? .keepLocal : .takeRemote
        }
    }
}

extension FieldMerge {
    /// What a program's own rule makes of two values; nil where there is no conflict, or the rule has no answer that fits the attribute.
    static func decision(of function: MergeFunction, _ local: LocalField, against remote: WireCell, type: AttributeType) -> FieldDecision? {
        guard local.isChanged, local.cell != remote, local.base != remote, let mine = local.cell.property(as: type),
            let theirs = remote.property(as: type), let value = function(local.base?.property(as: type), mine, theirs), value.fits(type)
        else { return nil }
        let cell = WireCell.attribute(WireValue(value))
        return cell == remote ? .takeRemote : .combine(base: remote, value: cell)
    }
}

extension WireCell {
    /// The attribute's value; nil where the cell holds none of that type.
    fileprivate func property(as type: AttributeType) -> PropertyValue? {
        if case .attribute(let wire) = self { wire.property(as: type) } else { nil }
    }
}
