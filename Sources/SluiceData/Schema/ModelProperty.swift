package import SluiceSchema

/// One persisted property of a model class, own or inherited.
package struct ModelProperty: @unchecked Sendable {
    // `@unchecked Sendable`: nothing here is written after it is made; key paths that `@Model` writes capture nothing, and `metadata` is
    // one of the schema's classes, whose state is locked.

    package enum Kind: Sendable {
        case attribute(AttributeKind)
        case toOne(any PersistentModel.Type)
        case toMany(any PersistentModel.Type)
    }

    package let name: String
    /// The place in the hierarchy, the root class's first property being 0; `@Model` uses the same number.
    package let index: Int
    /// As the declaring class spells it: `\Vehicle.name`, also in the shape of a subclass.
    package let keyPath: AnyKeyPath
    package let declaringType: any PersistentModel.Type
    /// As declared, `Optional` included.
    package let valueType: any Any.Type
    package let isOptional: Bool
    package let kind: Kind
    /// What `@Attribute` or `@Relationship` says; nil where neither stands.
    package let metadata: (any SchemaProperty)?
    /// The initialiser expression's value where it is the same each time it is evaluated; nil where there is none, or where it is made anew
    /// for each instance, as `UUID()` is.
    package let constantDefault: PropertyValue?
    /// Whether the declaration has an initialiser expression at all, constant or not.
    package let hasDefault: Bool

    /// The initialiser expression, evaluated now; nil where there is none.
    package func makeDefaultValue() -> Any? {
        hasDefault ? declaringType.schemaMetadata.first { $0.name == name }?.defaultValue : nil
    }

    /// The model class at the other end of a relationship.
    package var destination: (any PersistentModel.Type)? {
        switch kind {
        case .attribute: nil
        case .toOne(let type), .toMany(let type): type
        }
    }

    package var attributeKind: AttributeKind? { if case .attribute(let kind) = kind { kind } else { nil } }
    package var isToMany: Bool { if case .toMany = kind { true } else { false } }
    package var attribute: Schema.Attribute? { metadata as? Schema.Attribute }
    package var relationship: Schema.Relationship? { metadata as? Schema.Relationship }
    /// Observed and tracked, and never stored.
    package var isEphemeral: Bool { attribute?.isEphemeral ?? false }

    static func kind(of valueType: any Any.Type, options: [Schema.Attribute.Option]) -> Kind {
        let type = (valueType as? any OptionalType.Type)?.wrappedType ?? valueType
        // What a transformer or a coder stores is a value, whatever its type.
        let isValue = options.contains { $0.transformerName != nil || $0 == .codable }
        if !isValue, let model = type as? any PersistentModel.Type { return .toOne(model) }
        if !isValue, let collection = type as? any RelationshipCollection.Type { return .toMany(element(of: collection)) }
        return .attribute(AttributeKind(of: valueType, options: options))
    }

    private static func element<Collection: RelationshipCollection>(of type: Collection.Type) -> any PersistentModel.Type {
        Collection.PersistentElement.self
    }
}
