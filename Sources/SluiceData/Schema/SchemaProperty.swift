/// A property of an entity: an attribute, a relationship, or what an entity says about several of them.
public protocol SchemaProperty: Codable, Hashable {
    var name: String { get set }
    /// The name in the previous version of the schema; the same as `name` where the property was not renamed.
    var originalName: String { get set }
    /// The property's type as it is declared, optional included.
    var valueType: any Any.Type { get set }
    var isAttribute: Bool { get }
    var isRelationship: Bool { get }
    var isTransient: Bool { get }
    var isOptional: Bool { get }
    var isUnique: Bool { get }
}

extension SchemaProperty {
    public var isAttribute: Bool { self is Schema.Attribute }
    public var isRelationship: Bool { self is Schema.Relationship }
    /// Transient properties are in no schema.
    public var isTransient: Bool { false }
    public var isOptional: Bool { valueType is any OptionalType.Type }
}

/// `Optional`, whatever it wraps.
protocol OptionalType {
    static var wrappedType: any Any.Type { get }
    /// The wrapped value; nil where there is none.
    var wrapped: Any? { get }
    /// The type's nil.
    static var noValue: Any { get }
}

extension Optional: OptionalType {
    static var wrappedType: any Any.Type { Wrapped.self }
    var wrapped: Any? { self }
    static var noValue: Any { Self.none as Any }
}
