// Rows of custom stores that become models.

import Foundation

extension ContextCore {
    /// The model of a snapshot: the registered instance where there is one, a new one otherwise. nil for a class that the container does
    /// not know.
    func materialize(_ row: SnapshotRow) -> (any PersistentModel)? {
        guard let binding = schema.binding(named: row.identifier.entityName), let rows = binding.store.custom,
            row.identifier.storeIdentifier.map({ $0 == rows.identifier }) ?? true, let key = binding.customKey(of: row.identifier)
        else { return nil }
        if let model = registered(key, table: binding.tableID) {
            refresh(model, from: row, binding)
            return model
        }
        let state = _ModelState(core: self, binding: binding, key: key)
        let model = binding.type.init(_$state: state)
        state.model = model
        state.generation = binding.store.generation
        register(state)
        var filling = SnapshotFilling(row, of: binding, state: state, fillsGapsOnly: false)
        model._$visit(&filling)
        return model
    }

    /// What the store says now shows up; what was edited here stays.
    private func refresh(_ model: any PersistentModel, from row: SnapshotRow, _ binding: EntityBinding) {
        let state = model._$state
        guard state.phase == .saved || state.phase == .deleted else { return }
        var filling = SnapshotFilling(row, of: binding, state: state, fillsGapsOnly: false)
        model._$visit(&filling)
        guard state.generation != binding.store.generation else { return }
        state.generation = binding.store.generation
        if state.isObserved { notifyAll(model) }
    }

    /// Fills the empty slots of a model. A row that is gone leaves them empty.
    func load(_ model: any PersistentModel, from rows: any CustomRows) throws {
        let state = model._$state
        guard let binding = state.binding, state.key > 0, binding.needsLoading(model),
            let row = try find([state.key], binding, in: rows).first
        else { return }
        var filling = SnapshotFilling(row, of: binding, state: state, fillsGapsOnly: true)
        model._$visit(&filling)
    }

    /// Models of rows, whatever their class in the binding's table. Rows that are gone are left out.
    func models(of keys: [Int64], table binding: EntityBinding, from rows: any CustomRows) throws -> [any PersistentModel] {
        try find(keys, binding, in: rows).compactMap(materialize)
    }

    // MARK: Rows

    /// Rows by their numbers: those that came along with a fetch, those that the store has at hand, then all that it finds.
    private func find(_ keys: [Int64], _ binding: EntityBinding, in rows: any CustomRows) throws -> [SnapshotRow] {
        var found: [Int64: SnapshotRow] = [:]
        for key in keys { found[key] = related[binding.tableID]?[key] }
        func take(_ answer: [SnapshotRow]) {
            for row in answer {
                guard let own = schema.binding(named: row.identifier.entityName), own.tableID == binding.tableID,
                    let key = own.customKey(of: row.identifier)
                else { continue }
                found[key] = row
            }
        }
        func missing() -> [PersistentIdentifier] {
            keys.filter { found[$0] == nil }.compactMap { rowIdentifier($0, table: binding.tableID) }
        }
        if !missing().isEmpty { take(try rows.cached(missing(), for: editingState)) }
        if !missing().isEmpty { take(try search(missing(), binding.type, in: rows)) }
        return keys.compactMap { found[$0] }
    }

    private func search<Model: PersistentModel>(
        _ identifiers: [PersistentIdentifier], _ type: Model.Type, in rows: any CustomRows
    ) throws -> [SnapshotRow] {
        let wanted = FetchDescriptor<Model>(predicate: #Predicate { identifiers.contains($0.persistentModelID) })
        do { return try rows.fetch(wanted, for: editingState).rows } catch is DataStoreError {
            // Every row of the class, then; those that were not asked for do no harm.
            return try rows.fetch(FetchDescriptor<Model>(), for: editingState).rows
        }
    }

    /// What names a row, in its own class as far as that is known.
    func rowIdentifier(_ key: Int64, table: Int) -> PersistentIdentifier? {
        if let model = registered(key, table: table) { return model._$state.binding?.identifier(of: key) }
        guard let any = schema.anyBinding(ofTable: table) else { return nil }
        let own = any.store.custom?.keys.entity(of: key, table: table).flatMap { schema.binding(named: $0) }
        return (own ?? any).identifier(of: key)
    }

    /// Keeps the rows that came along with a fetch until the next ones come.
    func note(_ rows: [SnapshotRow]) {
        guard !rows.isEmpty else { return }
        related = [:]
        for row in rows {
            guard let binding = schema.binding(named: row.identifier.entityName), let key = binding.customKey(of: row.identifier) else {
                continue
            }
            related[binding.tableID, default: [:]][key] = row
            if let model = registered(key, table: binding.tableID) { refresh(model, from: row, binding) }
        }
    }
}

extension EntityBinding {
    /// Whether a slot or a link of the model is empty.
    fileprivate func needsLoading(_ model: any PersistentModel) -> Bool {
        if links.indices.contains(where: { !model._$state.isLoaded(link: $0) }) { return true }
        var gaps = SlotGaps(self)
        model._$visit(&gaps)
        return gaps.isThere
    }
}

/// Whether an attribute is not loaded.
private struct SlotGaps: _PropertyVisitor {
    private let binding: EntityBinding
    private(set) var isThere = false

    init(_ binding: EntityBinding) { self.binding = binding }

    mutating func visit<Value: PersistentModel>(_ slot: inout Value?, at index: Int) {}
    mutating func visit<Value: PersistentModel>(_ slot: inout Value??, at index: Int) {}
    mutating func visit<Value: PersistentModel>(_ slot: inout [Value]?, at index: Int) {}
    mutating func visit<Value: PersistentModel>(_ slot: inout [Value]??, at index: Int) {}
    mutating func visit<Value>(_ slot: inout Value?, at index: Int) {
        if slot == nil, !binding.shape.properties[index].isEphemeral { isThere = true }
    }
}
