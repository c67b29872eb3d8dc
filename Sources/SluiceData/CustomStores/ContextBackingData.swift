/// The values of a model in a context, for a snapshot of it.
struct ContextBackingData<Model: PersistentModel>: BackingData {
    let model: Model
    /// Rows that go in the save that the snapshot is for: nothing refers to them any more.
    private let doomed: DoomedRows

    init(_ model: Model, without doomed: DoomedRows = DoomedRows()) {
        self.model = model
        self.doomed = doomed
    }

    init(for modelType: Model.Type) { self.init(Model(_$state: _ModelState())) }

    var persistentModelID: PersistentIdentifier? {
        get { model.persistentModelID }
        // The identity follows from the row; there is nothing to set.
        set {}
    }

    var metadata: Any { Model.schemaMetadata }

    func getValue<Value: Decodable>(forKey key: KeyPath<Model, Value>) -> Value { model.getValue(forKey: key) }
    func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>) -> Value { model.getValue(forKey: key) }

    func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>) -> Value? {
        model.getValue(forKey: key).flatMap { doomed.contains($0._$state) ? nil : $0 }
    }

    func getValue<Value, Other>(forKey key: KeyPath<Model, Value>) -> Value
    where Value: RelationshipCollection, Other == Value.PersistentElement { remaining(model.getValue(forKey: key)) }
    func getValue<Value, Other>(forKey key: KeyPath<Model, Value>) -> Value
    where Value: Decodable & RelationshipCollection, Other == Value.PersistentElement { remaining(model.getValue(forKey: key)) }
    func getTransformableValue<Value>(forKey key: KeyPath<Model, Value>) -> Value { model.getTransformableValue(forKey: key) }

    mutating func setValue<Value: Encodable>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
        model.setValue(forKey: key, to: newValue)
    }
    mutating func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
        model.setValue(forKey: key, to: newValue)
    }
    mutating func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>, to newValue: Value?) {
        model.setValue(forKey: key, to: newValue)
    }
    mutating func setValue<Value, Other>(forKey key: KeyPath<Model, Value>, to newValue: Value)
    where Value: RelationshipCollection, Other == Value.PersistentElement { model.setValue(forKey: key, to: newValue) }
    mutating func setValue<Value, Other>(forKey key: KeyPath<Model, Value>, to newValue: Value)
    where Value: Encodable & RelationshipCollection, Other == Value.PersistentElement { model.setValue(forKey: key, to: newValue) }
    mutating func setTransformableValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
        model.setTransformableValue(forKey: key, to: newValue)
    }

    private func remaining<Members: RelationshipCollection>(_ members: Members) -> Members {
        guard !doomed.isEmpty, let models = members as? [Members.PersistentElement] else { return members }
        return models.filter { !doomed.contains($0._$state) } as? Members ?? members
    }
}

extension ContextBackingData: SnapshotSource {
    var identifier: PersistentIdentifier { model.persistentModelID }

    var snapshotValues: [String: any DataStoreSnapshotValue] {
        guard let core = model._$state.core, let binding = model._$state.binding else { return [:] }
        core.loadEverything(model)
        var values: [String: any DataStoreSnapshotValue] = [:]
        // What is refused was found before the save began.
        var slots = SlotCollecting(binding)
        model._$visit(&slots)
        for property in binding.shape.properties where !property.isEphemeral {
            if let place = binding.linkIndex(at: property.index) {
                values[property.name] = related(core, binding.links[place], place)
            } else {
                values[property.name] = slots.values[property.index]
            }
        }
        return values
    }

    private func related(_ core: ContextCore, _ link: LinkBinding, _ place: Int) -> (any DataStoreSnapshotValue)? {
        let state = model._$state
        guard link.isToMany else {
            guard let key = core.reference(of: state, link: place), !doomed.contains(key, table: link.table) else { return nil }
            return core.rowIdentifier(key, table: link.table)
        }
        return core.memberKeys(of: state, link: place).filter { !doomed.contains($0, table: link.table) }
            .compactMap { core.rowIdentifier($0, table: link.table) }
    }
}

/// Takes the attributes of a model as a snapshot holds them, by the places of the properties.
struct SlotCollecting: _PropertyVisitor {
    let binding: EntityBinding
    private(set) var values: [Int: any DataStoreSnapshotValue] = [:]
    /// The first value that a snapshot cannot hold.
    private(set) var failure: (any Error)?

    init(_ binding: EntityBinding) { self.binding = binding }

    mutating func visit<Value: PersistentModel>(_ slot: inout Value?, at index: Int) {}
    mutating func visit<Value: PersistentModel>(_ slot: inout Value??, at index: Int) {}
    mutating func visit<Value: PersistentModel>(_ slot: inout [Value]?, at index: Int) {}
    mutating func visit<Value: PersistentModel>(_ slot: inout [Value]??, at index: Int) {}

    mutating func visit<Value>(_ slot: inout Value?, at index: Int) {
        guard let value = slot else { return }
        do {
            values[index] = try binding.transformation(at: index).map { try $0.bytes(of: value) } ?? SnapshotValue.of(value)
        } catch { failure = failure ?? error }
    }
}

/// Rows that a save removes.
struct DoomedRows {
    private(set) var rows: [(key: Int64, table: Int)] = []
    private var keys: [Int: Set<Int64>] = [:]

    var isEmpty: Bool { rows.isEmpty }
    func contains(_ key: Int64, table: Int) -> Bool { keys[table]?.contains(key) ?? false }
    func contains(_ state: _ModelState) -> Bool { state.binding.map { contains(state.key, table: $0.tableID) } ?? false }

    /// Whether it was not there yet.
    mutating func insert(_ key: Int64, table: Int) -> Bool {
        guard keys[table, default: []].insert(key).inserted else { return false }
        rows.append((key, table))
        return true
    }
}
