// A property is read whose value nobody knows: its row is gone and it was never loaded, or a newer program wrote what this one cannot
// decode. SwiftData ends the program there; here the property has its default, or else the emptiest value of its type.

import Foundation

/// Values for properties that nothing is known of.
enum Fallback {
    static func value<Value>(of type: Value.Type, property index: Int, of model: any PersistentModel.Type) -> Value {
        let properties = ModelShape.of(model).properties
        if properties.indices.contains(index), let value = properties[index].makeDefaultValue() as? Value { return value }
        if let value = emptiest(of: type) { return value }
        // Whoever wrote a transformer says what it makes of no bytes.
        let transformation = properties.indices.contains(index) ? Transformation(properties[index]) : nil
        if let value = transformation?.value(of: type, in: Data()) { return value }
        let name = properties.indices.contains(index) ? properties[index].name : "\(index)"
        // What is left cannot be made up by anybody: a class that is not decodable, a function, an existential without an empty
        // conformer, and structs that have one of those. Such a property is transformable, or not codable; the message says how to get
        // rid of this.
        preconditionFailure("\(model).\(name) has no known value, and \(type) has no empty one; give the property a default value")
    }

    /// The emptiest value of a type; nil where there is none.
    /// - Parameter depth: how many values this one lies in; types may contain themselves.
    static func emptiest<Value>(of type: Value.Type, depth: Int = 0) -> Value? {
        guard depth < EmptyDecoder.depthMax else { return nil }
        if let type = type as? any _StoredValue.Type { return type._$zero as? Value }
        if let type = type as? any ExpressibleByNilLiteral.Type { return none(of: type) as? Value }
        if let type = type as? any CaseIterable.Type, let value = first(of: type) as? Value { return value }
        if let type = type as? any RangeReplaceableCollection.Type { return none(in: type) as? Value }
        if let type = type as? any PersistentModel.Type { return empty(type) as? Value }
        // Before it is decoded: a case without a payload is emptier than one with an empty payload.
        if let value = EnumCases.value(of: type) { return value }
        if let type = type as? any Decodable.Type, let value = EmptyDecoder.value(of: type, depth: depth) as? Value { return value }
        return EmptyStruct.value(of: type, depth: depth + 1)
    }

    private static func none<Value: ExpressibleByNilLiteral>(of type: Value.Type) -> Value { nil }
    private static func none<Value: RangeReplaceableCollection>(in type: Value.Type) -> Value { Value() }
    private static func first<Value: CaseIterable>(of type: Value.Type) -> Any? { type.allCases.first }
    private static func empty<Model: PersistentModel>(_ type: Model.Type) -> Model { Model(_$state: _ModelState()) }
}
