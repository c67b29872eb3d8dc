public import SluiceData
internal import SluiceSchema

/// Two values of one attribute that two devices gave it without seeing each other, for a function that decides for all attributes of a class.
public struct MergeConflict<Model: PersistentModel> {
    /// The property's name.
    public let property: String
    /// The value that both were made on top of; nil where that is not known.
    public let base: Any?
    /// This device's value, of the property's own type.
    public let local: Any
    /// The service's value, of the property's own type.
    public let remote: Any

    private let isOfType: (Any) -> Bool

    /// Nil for an attribute that is transformed, and for a value that this program cannot decode.
    init?(_ property: ModelProperty, base: PropertyValue?, local: PropertyValue, remote: PropertyValue) {
        guard let type = property.attributeKind?.type, type != .transformable else { return nil }
        func decoded<Value>(_ type: Value.Type) -> (base: Any?, local: Any, remote: Any)? {
            guard let mine = ModelValue.decode(local, as: type), let theirs = ModelValue.decode(remote, as: type) else { return nil }
            return (base.flatMap { ModelValue.decode($0, as: type) }, mine, theirs)
        }
        func test<Value>(_ type: Value.Type) -> (Any) -> Bool { { $0 is Value } }
        guard let values = _openExistential(property.valueType, do: decoded) else { return nil }
        self.property = property.name
        (self.base, self.local, self.remote) = values
        isOfType = _openExistential(property.valueType, do: test)
    }

    /// What a function of the property's own type makes of the values.
    /// - Returns: nil where the conflict is about another property.
    public func merging<Value>(
        _ property: KeyPath<Model, Value>, _ merge: (_ base: Value?, _ local: Value, _ remote: Value) -> Value
    ) -> Any? {
        guard ModelShape.of(Model.self).property(for: property)?.name == self.property, let mine = local as? Value, let theirs = remote as? Value
        else { return nil }
        return .some(merge(base.flatMap { $0 as? Value }, mine, theirs))
    }

    /// Whether something is a value of the property.
    func isValue(_ value: Any) -> Bool { isOfType(value) }
}
