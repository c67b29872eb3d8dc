/// One scalar property of an entity.
public struct Attribute: Hashable, Sendable, Codable {
    public var name: String
    /// The name in the schema's first version: the field's name on the wire, whatever it was renamed to since.
    public var wireName: String
    public var type: AttributeType
    public var isOptional: Bool
    /// What rows get that say nothing.
    public var defaultValue: PropertyValue?
    /// Large values lie in files beside the store.
    public var isExternal: Bool
    /// The last value stays readable in history after the row is deleted.
    public var isPreservedOnDeletion: Bool
    /// SwiftData's `hashModifier`: changes the shape's checksum without changing the shape.
    public var hashModifier: String?

    public init(
        _ name: String, _ type: AttributeType, isOptional: Bool = false, defaultValue: PropertyValue? = nil, wireName: String? = nil,
        isExternal: Bool = false, isPreservedOnDeletion: Bool = false, hashModifier: String? = nil
    ) {
        self.name = name
        self.wireName = wireName ?? name
        self.type = type
        self.isOptional = isOptional
        self.defaultValue = defaultValue
        self.isExternal = isExternal
        self.isPreservedOnDeletion = isPreservedOnDeletion
        self.hashModifier = hashModifier
    }
}
