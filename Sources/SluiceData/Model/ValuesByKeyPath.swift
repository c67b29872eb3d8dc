
// What accessors written by hand call on the model: `getValue(forKey:)` and `setValue(forKey:to:)`.
extension PersistentModel {
    /// Empty storage for a new instance.
    public static func createBackingData<Model: PersistentModel>() -> some BackingData<Model> { DetachedBackingData<Model>() }

    public func getValue<Value: Decodable>(forKey key: KeyPath<Self, Value>) -> Value { read(key) }
    public func getValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value>) -> Value {
        guard let index = index(of: key) else { return Value(_$state: _ModelState()) }
        return _$read(slot(index) as Value?, at: index)
    }
    public func getValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value?>) -> Value? {
        index(of: key).flatMap { index in _$read(slot(index) as Value??, at: index) }
    }
    public func getValue<Value, Other>(forKey key: KeyPath<Self, Value>) -> Value
    where Value: RelationshipCollection, Other == Value.PersistentElement { members(key) }
    public func getValue<Value, Other>(forKey key: KeyPath<Self, Value>) -> Value
    where Value: Decodable & RelationshipCollection, Other == Value.PersistentElement { members(key) }
    public func getTransformableValue<Value>(forKey key: KeyPath<Self, Value>) -> Value { read(key) }

    public func setValue<Value: Encodable>(forKey key: KeyPath<Self, Value>, to newValue: Value) { write(newValue, key) }
    public func setValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value>, to newValue: Value) { write(newValue, key) }
    public func setValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value?>, to newValue: Value?) { write(newValue, key) }
    public func setValue<Value, Other>(forKey key: KeyPath<Self, Value>, to newValue: Value)
    where Value: RelationshipCollection, Other == Value.PersistentElement { write(newValue, key) }
    public func setValue<Value, Other>(forKey key: KeyPath<Self, Value>, to newValue: Value)
    where Value: Encodable & RelationshipCollection, Other == Value.PersistentElement { write(newValue, key) }
    public func setTransformableValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value) { write(newValue, key) }

    // MARK: Slots by index

    private func index(of key: AnyKeyPath) -> Int? { ModelShape.of(Self.self).property(for: key)?.index }

    private func slot<Value>(_ index: Int) -> Value? {
        var reading = SlotReading(index)
        _$visit(&reading)
        return reading.value as? Value
    }

    private func read<Value>(_ key: KeyPath<Self, Value>) -> Value {
        let index = index(of: key) ?? -1
        return _$read(slot(index) as Value?, at: index)
    }

    private func members<Value>(_ key: KeyPath<Self, Value>) -> Value {
        let index = index(of: key) ?? -1
        if let value: Value = slot(index) { return value }
        let found = _$state.core?.members(of: self, at: index) ?? []
        return found as? Value ?? Fallback.value(of: Value.self, property: index, of: Self.self)
    }

    private func write<Value>(_ value: Value, _ key: KeyPath<Self, Value>) {
        guard let index = index(of: key) else { return }
        if let core = _$state.core {
            core.setValue(value, of: self, at: index)
        } else {
            var writing = SlotWriting(index, value)
            _$visit(&writing)
        }
    }
}
