// A property is read whose row is gone and whose value was never loaded. SwiftData ends the program there; here the property has its default, or the
// emptiest value of its type.

/// Values for properties that nothing is known of.
enum Fallback {
    static func value<Value>(of type: Value.Type, property index: Int, of model: any PersistentModel.Type) -> Value {
        let properties = ModelShape.of(model).properties
        if index < properties.count, let value = properties[index].makeDefaultValue() as? Value { return value }
        if let value = emptiest(of: type) { return value }
        let name = index < properties.count ? properties[index].name : "\(index)"
        // The one value that cannot be made up: of a type without nil, zero, first case or decodable empty form, in a model that is in no store.
        preconditionFailure("\(model).\(name) was read from a model that has no row and never had a value; give the property a default value")
    }

    private static func emptiest<Value>(of type: Value.Type) -> Value? {
        if let type = type as? any _StoredValue.Type { return type._$zero as? Value }
        if let type = type as? any ExpressibleByNilLiteral.Type { return none(of: type) as? Value }
        if let type = type as? any CaseIterable.Type, let value = first(of: type) as? Value { return value }
        if let type = type as? any Decodable.Type { return EmptyDecoder.value(of: type) as? Value }
        return nil
    }

    private static func none<Value: ExpressibleByNilLiteral>(of type: Value.Type) -> Value { nil }
    private static func first<Value: CaseIterable>(of type: Value.Type) -> Any? { type.allCases.first }
}
