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
            // What is kept for this device alone from now on is as gone for the service.
            guard let successor, !successor.isLocalOnly else {
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

    // MARK: Unsent edits

    /// Keeps what somebody edited and the service has not acknowledged.
    func owe(with journal: SyncJournal, latestStamp: Int64) throws {
        let gone = Set(store.layout.sortedEntities.filter { types.contains($0.wireName) }.map(\.table))
        let names = Set(gone.map { store.layout.tables[$0].name })
        let tables = store.layout.tables.indices.filter { table in
            gone.contains(table) || store.layout.entities(in: table).contains { columns[$0.name] != nil }
                || store.layout.tables[table].columns.contains { $0.referencedTable.map(names.contains) ?? false }
        }
        for table in tables where store.tablesToSend.contains(table) {
            try store.forEachPendingChange(in: table) { change in
                if change.isDeleted { try departDeleted(change, table: table) } else { try owe(change, journal, latestStamp) }
            }
        }
    }

    private func departDeleted(_ change: PendingChange, table: Int) throws {
        let entities = store.layout.entities(in: table)
        let logged = try store.deletedEntity(table: table, at: change.last).flatMap { store.layout.entities[$0] }
        // A deletion that is only sent again is not in the log. It goes with the table, if that does.
        let goes = entities.allSatisfy { $0.isAbstract || types.contains($0.wireName) }
        guard let entity = logged ?? (goes ? entities.first { !$0.isAbstract } : nil), types.contains(entity.wireName) else { return }
        try store.depart(change, type: entity.wireName)
    }

    private func owe(_ change: PendingChange, _ journal: SyncJournal, _ latestStamp: Int64) throws {
        // What cannot be read is not known, and must not be taken for cleared.
        var lost: Set<String> = []
        guard let place = change.row, let row = try store.row(at: place, onFault: { lost.insert($0.attribute ?? "") }),
            let entity = store.layout.entities[row.entity]
        else { return }
        let cells = journal.mapping.cells(of: row, as: entity)
        // A pair goes with either end.
        let isDeparting = try types.contains(entity.wireName) || entity.isJoin && cells.values.contains(where: leadsAway)
        // A reference to a row that goes becomes empty here, and only here.
        let away = try entity.columns.filter { column in try cells[column].map(leadsAway) ?? false }
        let leaving = isDeparting ? entity.columns : (columns[entity.name] ?? []) + away
        let changed = try store.pendingFields(of: change.name)
        var metadata = try journal.latestMetadata(of: change) ?? MergeMetadata()
        for column in leaving {
            guard let cell = cells[column], let field = journal.mapping.wireName(ofColumn: column, in: entity) else { continue }
            if let attribute = store.layout.table(of: entity).columns[column].attribute?.name, lost.contains(attribute) { continue }
            let isEdited = changed[column] != nil || change.isInserted
            guard isDeparting || isEdited, isEdited || !cell.isNull else { continue }
            let edited = try journal.editStamp(of: column, change: change, changed: changed, known: metadata.stamps[field])
            metadata.stamp(field, hash: cell.hash64, edited: edited, latest: latestStamp)
            let base = try journal.base(of: column, pending: change, changed: changed, entity: entity)
            let fields = try journal.mapping.fields([column: cell], of: entity, clearing: true) { try store.wireName(of: $0) }
            let isReference = if case .reference = cell { true } else { false }
            // Position 0 is for what nobody edited.
            let last = isEdited ? max(changed[column]?.last ?? change.first, 1) : 0
            try store.owe(
                OwedEdit(
                    field: field, body: fields.canonicalJSON(), isReference: isReference, stamp: metadata.stamps[field]?.milliseconds ?? 0,
                    base: base?.hash64, last: last), of: change.name)
        }
        if isDeparting {
            try store.depart(change, type: entity.wireName)
        } else {
            for column in away { try store.forgetField(column, of: change.name) }
        }
    }

    /// Whether a cell refers to a row whose entity goes while its table, and the reference, stay.
    private func leadsAway(_ cell: WireCell) throws -> Bool {
        guard case .reference(let target?) = cell, let row = try store.row(named: target), let entity = try store.entity(of: row) else {
            return false
        }
        return types.contains(entity.wireName)
    }

    // MARK: What the service has

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
