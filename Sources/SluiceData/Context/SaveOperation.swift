// The transaction of a save. Order matters: rows that stay are updated first (a child that moves away from a parent that goes must have moved), then rows
// go, then rows come, then relationships that no single row holds. Foreign keys are checked at the commit, and rows that come have their keys before
// anything is written, so references may point anywhere.

import Foundation
import SluiceSchema
import SluiceSQLite
import SluiceStore

/// Writes one context's pending changes to one store, inside a transaction of that store.
final class SaveOperation {
    struct Outcome {
        let keys: RowKeys
        /// Every row that went, those that delete rules took along included.
        let deleted: [(key: Int64, table: Int)]
    }

    private let pending: PendingChanges
    private let store: Store
    /// The container's numbers of the store's tables.
    private let tableIDs: [Int]
    private let keys: RowKeys
    private var updates: [UpdateKey: RowUpdate] = [:]
    private var insertions: [ObjectIdentifier: Insertion] = [:]
    /// The one used last: new models of one class mostly come together.
    private var lastInsertion: Insertion?
    /// Updates that met a unique value of a row that may give it up in this very save.
    private var postponed: [any PersistentModel] = []

    private struct UpdateKey: Hashable {
        let binding: ObjectIdentifier
        let properties: [Int]
    }

    init(_ pending: PendingChanges, store: Store, tableIDs: [Int]) {
        self.pending = pending
        keys = RowKeys(for: pending.insertedStates.lazy.map(\.key))
        self.store = store
        self.tableIDs = tableIDs
    }

    func run() throws -> Outcome {
        try giveKeys()
        for model in pending.changed { try update(model, postponing: true) }
        for model in pending.deleted where model._$state.hasChanges { try release(model) }
        let gone = try store.deleteRows(pending.deleted.compactMap(row))
        for row in gone { keys.delete(row.key, table: tableIDs[row.table]) }
        try updatePostponed()
        try insertAll()
        if !keys.merged.isEmpty { try pointAtMergedRows() }
        for state in pending.insertedStates { try relateMembers(of: state) }
        for model in pending.changed { try relateMembers(of: model._$state) }
        return Outcome(keys: keys, deleted: gone.map { ($0.key, tableIDs[$0.table]) })
    }

    private func row(_ model: any PersistentModel) -> RowKey? {
        let state = model._$state
        guard let binding = state.binding else { return nil }
        return RowKey(table: binding.entity.table, key: state.key)
    }

    /// The keys given out, by table of the store.
    private var keyRanges: [Int: ClosedRange<Int64>] = [:]

    private func giveKeys() throws {
        var next: [Int: Int64] = [:]
        for state in pending.insertedStates {
            guard let binding = state.binding else { continue }
            let table = binding.entity.table
            let key = try next[table] ?? (store.lastKey(table: table) + 1)
            next[table] = key + 1
            keys.give(key, to: state.key)
            keyRanges[table] = (keyRanges[table]?.lowerBound ?? key)...key
        }
    }

    // MARK: Updates

    private func update(_ model: any PersistentModel, postponing: Bool) throws {
        let state = model._$state
        guard let binding = state.binding else { return }
        let properties = state.changedIndices.filter { binding.columns[$0] != nil }
        do {
            try update(model, binding, properties: properties, row: state.key)
        } catch StoreError.uniqueConflict where postponing {
            postponed.append(model)
        }
    }

    private func update(_ model: any PersistentModel, _ binding: EntityBinding, properties: [Int], row: Int64) throws {
        guard !properties.isEmpty else { return }
        if row == model._$state.key, let property = properties.first(where: { binding.columns[$0].map(binding.entity.identity.contains) ?? false }) {
            throw SwiftDataError.identityChanged(binding.shape.properties[property].name, of: binding.entity.name)
        }
        let key = UpdateKey(binding: ObjectIdentifier(binding), properties: properties)
        let update = try updates[key] ?? RowUpdate(binding, properties: properties, store: store, keys: keys, state: model._$state)
        updates[key] = update
        try store.namingConflicts(of: binding.entity) { try update.run(model, row: row) }
    }

    /// A row that goes lets go of partners first, as it was told to: a rule that denies looks at who is left.
    private func release(_ model: any PersistentModel) throws {
        guard let binding = model._$state.binding else { return }
        let references = binding.links.map(\.property).filter { binding.columns[$0] != nil && model._$state.isChanged($0) }
        try update(model, binding, properties: references, row: model._$state.key)
    }

    /// Values that rows swap: all of them let go of theirs first.
    private func updatePostponed() throws {
        // The values that are let go must be in memory to be written again.
        for model in postponed {
            guard let core = model._$state.core, let binding = model._$state.binding else { continue }
            let unique = Set(binding.entity.uniqueness.flatMap { $0 })
            core.load(model)
            for property in binding.lateProperties where unique.contains(property.column) { core.load(model, at: property.index) }
        }
        for model in postponed {
            guard let row = row(model), let entity = model._$state.binding?.entity else { continue }
            let columns = Set(entity.uniqueness.flatMap { $0 })
            try store.updateRow(row, of: entity, cells: columns.map { Cell(column: $0, value: .null) })
        }
        for model in postponed {
            guard let binding = model._$state.binding else { continue }
            let unique = Set(binding.entity.uniqueness.flatMap { $0 })
            let properties = binding.columns.indices.filter { index in
                binding.columns[index].map { unique.contains($0) || model._$state.isChanged(index) } ?? false
            }
            try update(model, binding, properties: properties, row: model._$state.key)
        }
    }

    // MARK: Insertions

    /// From this many new models on they are inserted without triggers and logged together.
    private static let manyModels = 100

    private func insertAll() throws {
        var conflicts: [(model: any PersistentModel, conflict: StoreError)] = []
        func insertEach() throws {
            for state in pending.insertedStates {
                guard let model = state.model, let conflict = try insert(model, state) else { continue }
                conflicts.append((model, conflict))
            }
        }
        if pending.insertedStates.count >= Self.manyModels { try store.insertingMany(keys: keyRanges, insertEach) } else { try insertEach() }
        for (model, conflict) in conflicts { try merge(model, conflict) }
    }

    /// The conflict where a row has the model's unique values already.
    private func insert(_ model: any PersistentModel, _ state: _ModelState) throws -> StoreError? {
        guard let binding = state.binding, let key = keys.row(state.key, table: binding.tableID) else { return nil }
        let insertion = try insertion(for: binding, state: state)
        let (statement, writer) = (insertion.statement, insertion.writer)
        do {
            try store.namingConflicts(of: binding.entity) {
                try statement.begin(name: recordName(of: model, binding), key: key)
                writer.aim(at: state)
                model._$encode(writer)
                try writer.check()
                try statement.finish()
            }
        } catch let conflict as StoreError {
            guard case .uniqueConflict = conflict else { throw conflict }
            return conflict
        }
        return nil
    }

    private struct Insertion {
        let binding: EntityBinding
        let statement: InsertStatement
        let writer: _RowWriter
    }

    private func insertion(for binding: EntityBinding, state: _ModelState) throws -> Insertion {
        if let lastInsertion, lastInsertion.binding === binding { return lastInsertion }
        if let known = insertions[ObjectIdentifier(binding)] {
            lastInsertion = known
            return known
        }
        let statement = try store.insertStatement(for: binding.entity)
        func places(_ positions: [Int32]) -> [Int32] { binding.columns.map { $0.map { positions[$0] } ?? 0 } }
        let writer = _RowWriter(
            statement.statement, positions: places(statement.positions), shadows: places(statement.shadows), state: state, binding: binding,
            keys: keys, external: store.externalWriter)
        let insertion = Insertion(binding: binding, statement: statement, writer: writer)
        insertions[ObjectIdentifier(binding)] = insertion
        lastInsertion = insertion
        return insertion
    }

    /// The name that follows from the entity's identity, or a fresh one.
    private func recordName(of model: any PersistentModel, _ binding: EntityBinding) throws -> RecordName {
        guard !binding.entity.identity.isEmpty else { return store.naming.fresh() }
        let table = store.layout.table(of: binding.entity)
        let cells = try RowValues(binding, store: store, keys: keys).cells(of: model)
        let values = Dictionary(
            try cells.compactMap { cell in
                try table.columns[cell.column].attribute.map { (cell.column, try store.property(cell.value, of: $0)) }
            }, uniquingKeysWith: { first, _ in first })
        return try store.naming.name(of: binding.entity, in: table, values: values) ?? store.naming.fresh()
    }

    /// An insertion whose unique values a row has already: that row takes the values, and the model is that row.
    private func merge(_ model: any PersistentModel, _ conflict: StoreError) throws {
        let state = model._$state
        guard let binding = state.binding else { return }
        let cells = try RowValues(binding, store: store, keys: keys).cells(of: model)
        let named = binding.entity.identity.isEmpty ? nil : try store.key(of: recordName(of: model, binding), table: binding.entity.table)
        guard let row = try named ?? store.conflictingRow(binding.entity, cells: cells), try store.entity(of: row)?.name == binding.entity.name else {
            throw conflict
        }
        let properties = binding.columns.indices.filter { index in
            binding.columns[index].map { !binding.entity.identity.contains($0) } ?? false
        }
        try update(model, binding, properties: properties, row: row.key)
        keys.merge(state.key, into: row.key)
    }

    /// Rows that were written before their partner turned out to be another row.
    private func pointAtMergedRows() throws {
        for model in pending.inserted + pending.changed {
            let state = model._$state
            guard let binding = state.binding, let row = keys.row(state.key, table: binding.tableID) else { continue }
            let properties = binding.links.enumerated().filter { place, link in
                guard binding.columns[link.property] != nil, case .one(let key?) = state.link(place) else { return false }
                return keys.merged.contains(key)
            }.map(\.element.property)
            try update(model, binding, properties: properties, row: row)
        }
    }

    // MARK: Relationships that the owner keeps

    private func relateMembers(of state: _ModelState) throws {
        guard let binding = state.binding, !binding.links.isEmpty else { return }
        let isNew = state.key < 0
        for (place, link) in binding.links.enumerated() where link.isKeptByOwner && (isNew || state.isChanged(link.property)) {
            guard case .many(let members) = state.link(place), !isNew || !members.isEmpty,
                let row = keys.row(state.key, table: binding.tableID), let table = tableIDs.firstIndex(of: link.table)
            else { continue }
            let rows = members.compactMap { keys.row($0, table: link.table) }.map { RowKey(table: table, key: $0) }
            let kept = keys.merged.contains(state.key) ? try store.related(to: RowKey(table: binding.entity.table, key: row), over: link.link) : []
            try store.setMembers(kept.filter { !rows.contains($0) } + rows, of: RowKey(table: binding.entity.table, key: row), link: link.link)
        }
    }
}
