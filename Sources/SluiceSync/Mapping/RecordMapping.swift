// Rows as records and back, by entity. A cell is compared in its wire form: a date that differs from the service's by less than the
// millisecond the wire keeps is the same date, and nothing is written or sent for it.

import Foundation
package import SluiceRecords
package import SluiceSchema
import SluiceStore

/// The wire form of one cell: an attribute's value, or the name a reference points at.
enum WireCell: Hashable {
    case attribute(WireValue)
    case reference(RecordName?)

    var isNull: Bool {
        switch self {
        case .attribute(let value): value == WireValue()
        case .reference(let name): name == nil
        }
    }
}

/// Maps between the rows of one schema and the records of its zone.
package struct RecordMapping: Sendable {
    /// Reserved for merge metadata (MergeMetadata has its format).
    package static let metadataField = "sluice_meta"

    let layout: StoredSchema
    private let entitiesByType: [String: StoredEntity]

    package init(_ layout: StoredSchema) {
        self.layout = layout
        entitiesByType = Dictionary(layout.sortedEntities.filter { !$0.isLocalOnly }.map { ($0.wireName, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func entity(ofType type: String) -> StoredEntity? { entitiesByType[type] }

    // MARK: Rows to records

    func cells(of row: StoredRow, as entity: StoredEntity) -> [Int: WireCell] {
        let columns = layout.table(of: entity).columns
        var cells: [Int: WireCell] = [:]
        for (position, property) in zip(entity.columns, entity.propertyNames) {
            let column = columns[position]
            if let attribute = column.attribute {
                cells[position] = .attribute(WireValue(row.attributes[attribute.name] ?? .null))
            } else {
                cells[position] = .reference(row.references[property])
            }
        }
        return cells
    }

    /// The wire fields of some cells.
    /// - Parameters:
    ///   - clearing: also says what is null, as an update must.
    ///   - spelling: how the service writes the name of a record that is referred to.
    func fields(
        _ cells: [Int: WireCell], of entity: StoredEntity, clearing: Bool, spelling: (RecordName) throws -> String
    ) rethrows -> [String: Field] {
        let columns = layout.table(of: entity).columns
        var fields: [String: Field] = [:]
        for (position, name) in zip(entity.columns, entity.wireNames) {
            guard let cell = cells[position] else { continue }
            switch cell {
            case .attribute(let value):
                if value.value != nil || clearing { fields[name] = Field(value.value) }
                guard let type = columns[position].attribute?.type, WireValue.mayNeedCompanion(type) else { continue }
                if value.companion != nil || clearing {
                    fields[WireValue.companionName(of: name)] = Field(value.companion.map(FieldValue.string))
                }
            case .reference(let target):
                if target != nil || clearing { fields[name] = Field(try target.map { .reference(Reference(recordName: try spelling($0))) }) }
            }
        }
        return fields
    }

    /// Every field of a row that is not null: what the service holds when all is in step.
    package func fields(of row: StoredRow) -> [String: Field] {
        guard let entity = layout.entities[row.entity] else { return [:] }
        return fields(cells(of: row, as: entity), of: entity, clearing: false) { $0.text }
    }

    // MARK: Records to cells

    struct Incoming {
        let entity: StoredEntity
        /// A cell for every column of the entity.
        let cells: [Int: WireCell]
        /// Fields that this schema does not know, or whose value is not of the attribute's type.
        let unknown: [String: Field]
    }

    /// nil where the schema has no such record type.
    func incoming(_ record: Record) -> Incoming? {
        guard let type = record.recordType, let entity = entitiesByType[type] else { return nil }
        let columns = layout.table(of: entity).columns
        var cells = [Int: WireCell](minimumCapacity: entity.columns.count)
        // Hardly any record has one.
        let hasCompanions = record.fields.keys.contains(where: WireValue.isCompanionName)
        var takenUp = [Self.metadataField]
        for (position, name) in zip(entity.columns, entity.wireNames) {
            let value = record.fields[name]?.value
            if let attribute = columns[position].attribute {
                var wire = WireValue(value: value)
                let companion = hasCompanions ? WireValue.companionName(of: name) : nil
                if let companion, case .string(let text)? = record.fields[companion]?.value { wire.companion = text }
                if wire.property(as: attribute.type) != nil {
                    if value != nil { takenUp.append(name) }
                    if let companion { takenUp.append(companion) }
                } else {
                    wire = WireValue()
                }
                cells[position] = .attribute(wire)
            } else if case .reference(let reference)? = value {
                cells[position] = .reference(RecordName(reference.recordName))
                takenUp.append(name)
            } else {
                cells[position] = .reference(nil)
            }
        }
        return Incoming(entity: entity, cells: cells, unknown: Self.fields(of: record, besides: takenUp))
    }

    /// Fields with a value that are not among those names.
    private static func fields(of record: Record, besides takenUp: [String]) -> [String: Field] {
        // Where every field is, nobody need look for others.
        guard record.fields.count != takenUp.count || !takenUp.allSatisfy({ record.fields[$0] != nil }) else { return [:] }
        let takenUp = Set(takenUp)
        return record.fields.filter { $0.value.value != nil && !takenUp.contains($0.key) }
    }

    /// The wire name of a column.
    func wireName(ofColumn column: Int, in entity: StoredEntity) -> String? {
        entity.columns.firstIndex(of: column).map { entity.wireNames[$0] }
    }
}
