/// An attribute or a relationship: what an entity calls by a name.
package enum SchemaProperty: Hashable, Sendable {
    case attribute(Attribute)
    case relationship(Relationship)

    package var name: String {
        switch self {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.name
        }
    }

    package var wireName: String {
        get {
            switch self {
            case .attribute(let attribute): attribute.wireName
            case .relationship(let relationship): relationship.wireName
            }
        }
        set {
            switch self {
            case .attribute(var attribute):
                attribute.wireName = newValue
                self = .attribute(attribute)
            case .relationship(var relationship):
                relationship.wireName = newValue
                self = .relationship(relationship)
            }
        }
    }

    package var attribute: Attribute? { if case .attribute(let attribute) = self { attribute } else { nil } }
    package var relationship: Relationship? { if case .relationship(let relationship) = self { relationship } else { nil } }

    /// The shape in words: `string, optional`, `to-many Tag`.
    package var shape: String {
        switch self {
        case .attribute(let attribute): attribute.type.rawValue + (attribute.isOptional ? ", optional" : "")
        case .relationship(let relationship):
            "\(relationship.isOrdered ? "ordered " : "")\(relationship.isToMany ? "to-many" : "to-one") \(relationship.destination)"
                + (relationship.isToMany || relationship.isOptional ? "" : ", required")
        }
    }
}

extension Entity {
    /// Attributes, then relationships, without inherited ones.
    package var properties: [SchemaProperty] {
        attributes.map(SchemaProperty.attribute) + relationships.map(SchemaProperty.relationship)
    }
}

extension Schema {
    /// Own and inherited properties, the root's first.
    package func properties(of entity: Entity) -> [SchemaProperty] { lineage(of: entity).reversed().flatMap(\.properties) }
}
