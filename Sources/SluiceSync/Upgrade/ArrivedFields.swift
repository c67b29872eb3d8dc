import Foundation
import SluiceRecords
import SluiceSchema
import SluiceStore

/// Fields that newer devices wrote before this one had properties for them. Asked once the rows are of the new shape.
struct ArrivedFields {
    private let journal: SyncJournal
    /// Columns whose fields the old shape did not have, or had with another type, by entity.
    private let columns: [String: [Int]]
    /// What was given the service's value again after a stage's code had given it another.
    private var restored: [RecordName: Set<Int>] = [:]
    /// Whether something could not be taken over: what it refers to is not here, or another row has its unique value.
    private(set) var mustFetch = false

    private var store: Store { journal.store }
    private var mapping: RecordMapping { journal.mapping }

    init(journal: SyncJournal, change: SchemaChange) {
        self.journal = journal
        let (old, new) = (change.layout.old, change.layout.new)
        var columns: [String: [Int]] = [:]
        for entity in new.sortedEntities where !entity.isLocalOnly && !entity.isAbstract {
            guard let source = change.match.source(of: entity.name).flatMap({ old.entities[$0.name] }) else { continue }
            let known = Dictionary(zip(source.wireNames, source.columns), uniquingKeysWith: { first, _ in first })
            func type(_ column: Int, of entity: StoredEntity, in layout: StoredSchema) -> AttributeType? {
                layout.table(of: entity).columns[column].attribute?.type
            }
            let arrived = zip(entity.wireNames, entity.columns).filter { name, column in
                known[name].map { type($0, of: source, in: old) != type(column, of: entity, in: new) } ?? true
            }
            if !arrived.isEmpty { columns[entity.name] = arrived.map(\.1) }
        }
        self.columns = columns
    }

    var isEmpty: Bool { columns.isEmpty }

    /// Writes what the service said of these fields into their columns.
    mutating func apply() throws {
        for table in tables {
            try forEachRecord(in: table) { record, row, entity in
                guard let incoming = mapping.incoming(record), let present = try store.row(at: row) else { return }
                let cells = mapping.cells(of: present, as: entity)
                let wanted = incoming.cells.filter { column, cell in
                    columns[entity.name]?.contains(column) == true && !cell.isNull && cell != cells[column]
                }
                guard !wanted.isEmpty else { return }
                try write(wanted, to: row, named: RecordName(record.recordName), of: entity)
            }
        }
    }

    private mutating func write(_ wanted: [Int: WireCell], to row: RowKey, named name: RecordName, of entity: StoredEntity) throws {
        let applier = RecordApplier(journal: journal, fullFetch: nil, latestStamp: 0)
        let (cells, missing) = try applier.storedCells(wanted, of: entity)
        guard missing.optional == nil, missing.required == nil, try store.conflictingRow(entity, cells: cells, except: row) == nil else {
            mustFetch = true
            // The record comes again with the fetch, and is to be taken for one that is not known.
            if var state = try store.recordState(of: name), state.tag != nil {
                state.tag = Store.outdatedTag
                try store.setRecordState(state, of: name, table: row.table)
            }
            return
        }
        try store.withServiceOrigin { try store.updateRow(row, of: entity, cells: cells) }
        restored[name, default: []].formUnion(wanted.keys)
    }

    /// Forgets as unknown what is known now, and takes off the outbox what a stage's code wrote in vain.
    mutating func settle() throws {
        for table in tables {
            try forEachRecord(in: table) { record, row, entity in
                guard let incoming = mapping.incoming(record), var state = try store.recordState(of: RecordName(record.recordName)) else { return }
                let arrived = Set((columns[entity.name] ?? []).compactMap { mapping.wireName(ofColumn: $0, in: entity) })
                let known = arrived.union(arrived.map(WireValue.companionName))
                let left = record.fields.filter { name, _ in !known.contains(name) || incoming.unknown[name] != nil }
                guard left.count < record.fields.count else { return }
                state.extra = left.isEmpty ? nil : try left.canonicalJSON()
                try store.setRecordState(state, of: RecordName(record.recordName), table: row.table)
            }
        }
        guard !restored.isEmpty else { return }
        try store.drainChanges()
        for (name, columns) in restored.sorted(by: { $0.key.text < $1.key.text }) {
            guard let pending = try store.pendingChange(of: name), !pending.isInserted, !pending.isDeleted else { continue }
            let kept = Set(try store.pendingFields(of: name).keys).subtracting(columns)
            if try kept.isEmpty && store.owedEdits(of: name).isEmpty {
                try store.forgetMerged(pending)
            } else {
                try store.rebasePending(pending, keeping: kept)
            }
        }
    }

    // MARK: Rows

    private var tables: [Int] { Set(columns.keys.compactMap { store.layout.entities[$0]?.table }).sorted() }

    /// Records with fields that were unknown, whose rows are of an entity with new ones; the record has those fields only.
    private func forEachRecord(in table: Int, _ body: (Record, RowKey, StoredEntity) throws -> Void) throws {
        try store.forEachUnknownFields(in: table) { name, extra in
            guard let row = try store.row(named: name), let entity = try store.entity(of: row), columns[entity.name] != nil else { return }
            var record = Record(name.text, type: entity.wireName)
            record.fields = try [String: Field].decode(JSONValue(parsing: extra))
            try body(record, row, entity)
        }
    }
}
