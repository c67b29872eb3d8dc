// SwiftData's key-path access, on top of typed storage: for accessors that people write by hand. Each access looks its key path up; what `@Model`
// writes itself never comes here.


/// The typed storage inside backing data.
///
/// Values that `createBackingData()` collected are taken over one by one.
public func _storage<Storage: _ModelStorage, Model: PersistentModel>(_ data: any BackingData<Model>) -> Storage {
    if let storage = data as? Storage { return storage }
    var storage = Storage()
    guard let detached = data as? DetachedBackingData<Model> else { return storage }
    for (index, value) in detached.values {
        var writing = SlotWriting(index, value)
        storage._$visit(&writing, _inheritedPropertyCount(of: Storage.Model.self))
    }
    return storage
}

extension _ModelStorage {
    /// Storage without values.
    public init(for modelType: Model.Type) { self.init() }

    public var persistentModelID: PersistentIdentifier? {
        get { _$state.flatMap { state in state.binding?.identifier(of: state.key) } }
        // The identity follows from the row; there is nothing to set.
        set {}
    }

    public var metadata: Any { Model.schemaMetadata }

    // MARK: Reading

    public func getValue<Value: Decodable>(forKey key: KeyPath<Model, Value>) -> Value { value(key) }
    public func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>) -> Value { value(key) }
    public func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>) -> Value? { value(key) }
    public func getValue<Value, Other>(forKey key: KeyPath<Model, Value>) -> Value
    where Value: RelationshipCollection, Other == Value.PersistentElement { value(key) }
    public func getValue<Value, Other>(forKey key: KeyPath<Model, Value>) -> Value
    where Value: Decodable & RelationshipCollection, Other == Value.PersistentElement { value(key) }
    public func getTransformableValue<Value>(forKey key: KeyPath<Model, Value>) -> Value { value(key) }

    private func value<Value>(_ key: KeyPath<Model, Value>) -> Value {
        let index = ModelShape.of(Model.self).property(for: key)?.index ?? -1
        var reading = SlotReading(index)
        var copy = self
        copy._$visit(&reading, _inheritedPropertyCount(of: Model.self))
        return reading.value as? Value ?? Fallback.value(of: Value.self, property: index, of: Model.self)
    }

    // MARK: Writing

    public mutating func setValue<Value: Encodable>(forKey key: KeyPath<Model, Value>, to newValue: Value) { write(newValue, key) }
    public mutating func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>, to newValue: Value) { write(newValue, key) }
    public mutating func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>, to newValue: Value?) { write(newValue, key) }
    public mutating func setValue<Value, Other>(forKey key: KeyPath<Model, Value>, to newValue: Value)
    where Value: RelationshipCollection, Other == Value.PersistentElement { write(newValue, key) }
    public mutating func setValue<Value, Other>(forKey key: KeyPath<Model, Value>, to newValue: Value)
    where Value: Encodable & RelationshipCollection, Other == Value.PersistentElement { write(newValue, key) }
    public mutating func setTransformableValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) { write(newValue, key) }

    private mutating func write<Value>(_ value: Value, _ key: KeyPath<Model, Value>) {
        guard let index = ModelShape.of(Model.self).property(for: key)?.index else { return }
        var writing = SlotWriting(index, value)
        _$visit(&writing, _inheritedPropertyCount(of: Model.self))
    }
}
