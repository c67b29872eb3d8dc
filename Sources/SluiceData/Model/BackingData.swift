
/// The values of one model by key path: SwiftData's view of a model's storage.
///
/// What `@Model` makes reads and writes its storage directly; this protocol serves accessors written by hand and custom stores.
public protocol BackingData<Model> {
    associatedtype Model: PersistentModel

    init(for modelType: Model.Type)
    /// nil until the model belongs to a context.
    var persistentModelID: PersistentIdentifier? { get set }
    var metadata: Any { get }

    func getValue<Value: Decodable>(forKey key: KeyPath<Model, Value>) -> Value
    func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>) -> Value
    func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>) -> Value?
    func getValue<Value, Other>(forKey key: KeyPath<Model, Value>) -> Value
    where Value: RelationshipCollection, Other == Value.PersistentElement
    func getValue<Value, Other>(forKey key: KeyPath<Model, Value>) -> Value
    where Value: Decodable & RelationshipCollection, Other == Value.PersistentElement
    func getTransformableValue<Value>(forKey key: KeyPath<Model, Value>) -> Value

    mutating func setValue<Value: Encodable>(forKey key: KeyPath<Model, Value>, to newValue: Value)
    mutating func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>, to newValue: Value)
    mutating func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>, to newValue: Value?)
    mutating func setValue<Value, Other>(forKey key: KeyPath<Model, Value>, to newValue: Value)
    where Value: RelationshipCollection, Other == Value.PersistentElement
    mutating func setValue<Value, Other>(forKey key: KeyPath<Model, Value>, to newValue: Value)
    where Value: Encodable & RelationshipCollection, Other == Value.PersistentElement
    mutating func setTransformableValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value)
}

/// What a to-many relationship is declared as.
public protocol RelationshipCollection {
    associatedtype PersistentElement: PersistentModel
}

extension Array: RelationshipCollection where Element: PersistentModel {
    public typealias PersistentElement = Element
}

extension Optional: RelationshipCollection where Wrapped: Sequence, Wrapped.Element: PersistentModel {
    public typealias PersistentElement = Wrapped.Element
}
