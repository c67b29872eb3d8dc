// The canonical encoding is JSON with sorted keys over entities sorted by name; it is what the store keeps of its own
// schema and what the checksum is taken over (SluiceDigest has the hash). Two schemas of one shape give the same bytes on every machine.

public import FoundationEssentials

/// The shape of a store, as a plain value: it comes from `@Model` types, from schema files, or from a legacy file.
///
/// A schema that was made by `init(validating:)` is sound: names are unique, superentities and destinations exist, inverses agree.
public struct Schema: Hashable, Sendable, Codable {
    public let name: String
    public let version: SchemaVersion
    /// Sorted by name.
    public let entities: [Entity]

    /// - Throws: `SchemaError` with every fault found.
    public init(name: String, version: SchemaVersion = SchemaVersion(1, 0, 0), validating entities: [Entity]) throws(SchemaError) {
        self.name = name
        self.version = version
        self.entities = entities.sorted { $0.name < $1.name }
        let faults = SchemaFault.all(in: self)
        guard faults.isEmpty else { throw SchemaError(schema: name, faults: faults) }
    }

    /// A schema whose entities are those of a sound one but for names that no rule looks at.
    init(name: String, version: SchemaVersion, sound entities: [Entity]) {
        self.name = name
        self.version = version
        self.entities = entities
    }

    /// The bytes a store keeps: name, version and shape.
    public func canonicalEncoding() throws -> Data { try Self.encoder.encode(self) }

    /// The bytes the checksum is taken over: the shape alone, so that two versions of one shape have one checksum.
    public func shapeEncoding() throws -> Data { try Self.encoder.encode(entities) }

    public init(canonicalEncoding: Data) throws {
        if let schema = Schema(readingCanonical: canonicalEncoding) {
            self = schema
        } else {
            self = try JSONDecoder().decode(Schema.self, from: canonicalEncoding)
        }
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}

// MARK: Looking things up

extension Schema {
    public func entity(named name: String) -> Entity? { entities.first { $0.name == name } }

    /// The entity itself, then its superentity, up to the root.
    public func lineage(of entity: Entity) -> [Entity] {
        var lineage = [entity]
        while let name = lineage.last?.superentity, let next = self.entity(named: name), lineage.count <= entities.count {
            lineage.append(next)
        }
        return lineage
    }

    /// The root of the entity's hierarchy; its table holds the rows.
    public func root(of entity: Entity) -> Entity { lineage(of: entity).last ?? entity }

    /// The entity and everything below it, by name.
    public func family(of entity: Entity) -> [Entity] {
        entities.filter { candidate in lineage(of: candidate).contains { $0.name == entity.name } }
    }

    /// Entities without a superentity, by name: one table each.
    public var roots: [Entity] { entities.filter { $0.superentity == nil } }

    /// Own and inherited attributes, the root's first.
    public func attributes(of entity: Entity) -> [Attribute] { lineage(of: entity).reversed().flatMap(\.attributes) }

    /// Own and inherited relationships, the root's first.
    public func relationships(of entity: Entity) -> [Relationship] { lineage(of: entity).reversed().flatMap(\.relationships) }

    /// Own and inherited sets of unique properties.
    public func uniqueness(of entity: Entity) -> [[String]] { lineage(of: entity).reversed().flatMap(\.uniqueness) }

    /// The attributes that make the record name; declared once in a hierarchy.
    public func identity(of entity: Entity) -> [String] { lineage(of: entity).first { !$0.identity.isEmpty }?.identity ?? [] }

    /// Whether any ancestor keeps its rows on this device.
    public func isLocalOnly(_ entity: Entity) -> Bool { lineage(of: entity).contains(where: \.isLocalOnly) }

    /// The other end of `relationship`, as `entity` sees it.
    public func inverse(of relationship: Relationship) -> Relationship? {
        guard let name = relationship.inverse, let destination = entity(named: relationship.destination) else { return nil }
        return relationships(of: destination).first { $0.name == name }
    }
}
