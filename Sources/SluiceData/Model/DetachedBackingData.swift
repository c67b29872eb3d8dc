/// Values of a model that is yet to be made, by property: what `createBackingData()` gives to programs that fill it themselves.
struct DetachedBackingData<Model: PersistentModel>: BackingData {
    var persistentModelID: PersistentIdentifier?
    private(set) var values: [Int: Any] = [:]

    init(for modelType: Model.Type = Model.self) {}

    var metadata: Any { Model.schemaMetadata }

    func getValue<Value: Decodable>(forKey key: KeyPath<Model, Value>) -> Value { value(key) }
    func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>) -> Value { value(key) }
    func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>) -> Value? { value(key) }
    func getValue<Value, Other>(forKey key: KeyPath<Model, Value>) -> Value
    where Value: RelationshipCollection, Other == Value.PersistentElement { value(key) }
    func getValue<Value, Other>(forKey key: KeyPath<Model, Value>) -> Value
    where Value: Decodable & RelationshipCollection, Other == Value.PersistentElement { value(key) }
    func getTransformableValue<Value>(forKey key: KeyPath<Model, Value>) -> Value { value(key) }

    mutating func setValue<Value: Encodable>(forKey key: KeyPath<Model, Value>, to newValue: Value) { write(newValue, key) }
    mutating func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>, to newValue: Value) { write(newValue, key) }
    mutating func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>, to newValue: Value?) { write(newValue, key) }
    mutating func setValue<Value, Other>(forKey key: KeyPath<Model, Value>, to newValue: Value)
    where Value: RelationshipCollection, Other == Value.PersistentElement { write(newValue, key) }
    mutating func setValue<Value, Other>(forKey key: KeyPath<Model, Value>, to newValue: Value)
    where Value: Encodable & RelationshipCollection, Other == Value.PersistentElement { write(newValue, key) }
    mutating func setTransformableValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) { write(newValue, key) }

    private func index(_ key: AnyKeyPath) -> Int? { ModelShape.of(Model.self).property(for: key)?.index }

    private func value<Value>(_ key: KeyPath<Model, Value>) -> Value {
        let index = index(key) ?? -1
        return values[index] as? Value ?? Fallback.value(of: Value.self, property: index, of: Model.self)
    }

    private mutating func write<Value>(_ value: Value, _ key: KeyPath<Model, Value>) {
        if let index = index(key) { values[index] = value }
    }
}
