/// Models in the order in which they came, each once. Holding them is what keeps unsaved edits alive.
struct PendingModels {
    private var places: [ObjectIdentifier: Int] = [:]
    private var entries: [(any PersistentModel)?] = []

    var isEmpty: Bool { places.isEmpty }
    var count: Int { places.count }
    var models: [any PersistentModel] { entries.compactMap { $0 } }

    func contains(where condition: (any PersistentModel) -> Bool) -> Bool { entries.contains { $0.map(condition) ?? false } }

    mutating func append(_ model: any PersistentModel) {
        guard places[ObjectIdentifier(model)] == nil else { return }
        places[ObjectIdentifier(model)] = entries.count
        entries.append(model)
    }

    mutating func remove(_ model: any PersistentModel) {
        guard let place = places.removeValue(forKey: ObjectIdentifier(model)) else { return }
        entries[place] = nil
        if places.isEmpty { entries = [] }
    }
}

/// New models in the order in which they came. Their states know their places: a hundred thousand of them are looked up by no table.
struct InsertedModels {
    private struct Entry {
        let model: any PersistentModel
        /// The model's, which it does not have to be asked for.
        let state: _ModelState
    }

    private var entries: [Entry?] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }
    var models: [any PersistentModel] { entries.compactMap { $0?.model } }
    var states: [_ModelState] { entries.compactMap { $0?.state } }

    func contains(where condition: (any PersistentModel) -> Bool) -> Bool { entries.contains { $0.map { condition($0.model) } ?? false } }

    mutating func append(_ model: any PersistentModel, _ state: _ModelState) {
        state.place = entries.count
        entries.append(Entry(model: model, state: state))
        count += 1
    }

    mutating func remove(_ state: _ModelState) {
        guard state.place < entries.count, entries[state.place]?.state === state else { return }
        entries[state.place] = nil
        count -= 1
        if count == 0 { entries = [] }
    }
}

/// The models that were loaded last, held for a while: following a relationship twice reads its row once.
struct RecentModels {
    private var models: [any PersistentModel] = []
    private var place = 0

    /// Bounds what a context keeps alive by itself.
    private static let countMax = 1_024

    mutating func append(_ model: any PersistentModel) {
        if models.count < Self.countMax {
            models.append(model)
        } else {
            models[place] = model
            place = (place + 1) % Self.countMax
        }
    }
}
