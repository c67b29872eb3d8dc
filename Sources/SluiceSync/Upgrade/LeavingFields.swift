import Foundation
import SluiceRecords
import SluiceSQLite
import SluiceSchema
import SluiceStore

/// Fields and record types that a step takes out of this device's schema. Asked while the rows are of the old shape.
struct LeavingFields {
    private let store: Store
    /// Columns whose fields the new shape does not have, by entity, subentities each for themselves.
    private let columns: [String: [Int]]
    /// Record types that go.
    let types: [String]

    init(store: Store, change: SchemaChange) {
        self.store = store
        let new = change.layout.new
        var columns: [String: [Int]] = [:]
        var types: [String] = []
        for entity in store.layout.sortedEntities where !entity.isLocalOnly && !entity.isAbstract {
            // A table of pairs is no entity of the schema: it is known by its record type.
            let successor = entity.isJoin
                ? new.sortedEntities.first { $0.isJoin && $0.wireName == entity.wireName }
                : change.match.destination(of: entity.name).flatMap { new.entities[$0.name] }
            guard let successor else {
                types.append(entity.wireName)
                continue
            }
            let kept = Set(successor.wireNames)
            let leaving = zip(entity.columns, entity.wireNames).filter { !kept.contains($0.1) }.map(\.0)
            if !leaving.isEmpty { columns[entity.name] = leaving }
        }
        self.columns = columns
        self.types = types
    }

    var isEmpty: Bool { columns.isEmpty && types.isEmpty }

    /// Whether somebody edited what goes and the service has not heard of it.
    func hasUnsentEdits() throws -> Bool {
        try store.drainChanges()
        return try store.layout.sortedEntities.contains { entity in
            if types.contains(entity.wireName) { return try store.hasPending(in: entity.table, columns: nil) }
            guard let columns = columns[entity.name] else { return false }
            return try store.hasPending(in: entity.table, columns: columns)
        }
    }

    /// A default that a row got with its column was never sent. One that somebody wrote has a stamp.
    private func isDefault(_ cell: WireCell, _ column: Int, of entity: StoredEntity) -> Bool {
        guard case .attribute(let value) = cell, let given = store.layout.table(of: entity).columns[column].attribute?.defaultValue else { return false }
        return value == WireValue(given)
    }

    /// Keeps the values as fields that this device does not know: they are on the service, and go there again should it lose them.
    func keep(with mapping: RecordMapping) throws {
        for (name, columns) in columns.sorted(by: { $0.key < $1.key }) {
            guard let entity = store.layout.entities[name] else { continue }
            try store.forEachRow(of: entity) { row in
                guard row.entity == name else { return }
                let known = try store.recordState(of: row.name)
                // What is on its way is on the service by the time that its answer comes.
                let sent = try store.metadataInFlight(of: row.name)
                let isUnheardOf = known == nil && sent == nil
                var state = known ?? RecordState()
                let stamps = (sent ?? state.meta).flatMap { MergeMetadata(encoded: $0) }?.stamps
                let cells = mapping.cells(of: row, as: entity).filter { column, cell in
                    guard columns.contains(column), !cell.isNull else { return false }
                    let isStamped = mapping.wireName(ofColumn: column, in: entity).flatMap { stamps?[$0] } != nil
                    return isUnheardOf || isStamped || !isDefault(cell, column, of: entity)
                }
                guard !cells.isEmpty else { return }
                var fields = try state.extra.map { try [String: Field].decode(JSONValue(parsing: $0)) } ?? [:]
                let kept = try mapping.fields(cells, of: entity, clearing: false) { try store.wireName(of: $0) }
                fields.merge(kept) { _, new in new }
                state.extra = try fields.canonicalJSON()
                try store.setRecordState(state, of: row.name, table: entity.table)
            }
        }
    }
}
