import Foundation
import SluiceSchema

/// The form of an attribute in a schema file.
enum AttributeCoding {
    private enum Key: CodingKey {
        case name, originalName, options, valueType, storage, isRaw, isOptional, defaultValue, hashModifier, elements
    }

    static func encode(_ attribute: Schema.Attribute, to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(attribute.name, forKey: .name)
        try container.encode(attribute.originalName, forKey: .originalName)
        try container.encode(attribute.options, forKey: .options)
        try container.encode(SchemaTypeName(attribute.valueType), forKey: .valueType)
        try container.encodeIfPresent(attribute.kind.type, forKey: .storage)
        if case .raw = attribute.kind { try container.encode(true, forKey: .isRaw) }
        try container.encode(attribute.isOptional, forKey: .isOptional)
        try container.encodeIfPresent(attribute.storedDefault, forKey: .defaultValue)
        try container.encodeIfPresent(attribute.hashModifier, forKey: .hashModifier)
        let elements = attribute[\.elements]
        if !elements.isEmpty { try container.encode(elements, forKey: .elements) }
    }

    static func parts(from decoder: any Decoder) throws -> Schema.Attribute.Parts {
        let container = try decoder.container(keyedBy: Key.self)
        let options = try container.decode([Schema.Attribute.Option].self, forKey: .options)
        let isOptional = try container.decode(Bool.self, forKey: .isOptional)
        let storage = try container.decodeIfPresent(AttributeType.self, forKey: .storage)
        let known = try container.decode(SchemaTypeName.self, forKey: .valueType).type
        let stored = try container.decodeIfPresent(PropertyValue.self, forKey: .defaultValue)
        var parts = Schema.Attribute.Parts(
            name: try container.decode(String.self, forKey: .name),
            originalName: try container.decode(String.self, forKey: .originalName), options: options,
            valueType: known ?? (isOptional ? Any?.self : Any.self), defaultValue: stored, storedDefault: stored, isOptional: isOptional,
            hashModifier: try container.decodeIfPresent(String.self, forKey: .hashModifier),
            elements: try container.decodeIfPresent([Schema.Attribute].self, forKey: .elements) ?? [])
        if known == nil, let storage {
            let isRaw = try container.decodeIfPresent(Bool.self, forKey: .isRaw) ?? false
            parts.loadedKind = kind(of: storage, isRaw: isRaw, options: options)
        }
        return parts
    }

    private static func kind(of storage: AttributeType, isRaw: Bool, options: [Schema.Attribute.Option]) -> AttributeKind {
        switch storage {
        case .codable: .codable
        case .transformable: .transformable(options.lazy.compactMap(\.transformerName).first ?? "")
        default: isRaw ? .raw(storage) : .scalar(storage)
        }
    }
}
