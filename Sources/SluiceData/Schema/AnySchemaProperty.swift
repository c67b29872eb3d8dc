/// A property whose kind stands beside it, to be compared with others and kept in a schema file.
struct AnySchemaProperty: Hashable, Codable {
    let property: any SchemaProperty

    init(_ property: any SchemaProperty) { self.property = property }

    static func == (left: AnySchemaProperty, right: AnySchemaProperty) -> Bool {
        AnyHashable(left.property) == AnyHashable(right.property)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(property)) }

    private enum Key: CodingKey { case attribute, composite, relationship }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        if container.contains(.relationship) {
            property = try container.decode(Schema.Relationship.self, forKey: .relationship)
        } else if container.contains(.composite) {
            property = try container.decode(Schema.CompositeAttribute.self, forKey: .composite)
        } else {
            property = try container.decode(Schema.Attribute.self, forKey: .attribute)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch property {
        case let relationship as Schema.Relationship: try container.encode(relationship, forKey: .relationship)
        case let composite as Schema.CompositeAttribute: try container.encode(composite, forKey: .composite)
        case let attribute as Schema.Attribute: try container.encode(attribute, forKey: .attribute)
        default:
            throw EncodingError.invalidValue(
                property,
                .init(codingPath: encoder.codingPath, debugDescription: "\(property.name): only attributes and relationships can be saved"))
        }
    }
}
