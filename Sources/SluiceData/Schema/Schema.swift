public import Foundation

/// What a store holds: model classes, their properties and how they relate.
///
/// Give the root classes; what they relate to joins, and so do superclasses. Subclasses must be listed.
///
///     let schema = Schema([List.self, Item.self], version: Schema.Version(1, 0, 0))
///
/// A schema that contradicts itself is made all the same: opening a container with it throws `SwiftDataError.invalidSchema`, which names
/// each class and property and says what to write.
public final class Schema: Codable, Hashable, Sendable, CustomDebugStringConvertible {
    /// The form of schema files that this module writes.
    public static let schemaEncodingVersion = Version(1, 0, 0)

    /// The version of the encoded form.
    public let encodingVersion: Version
    /// The version that the models are of.
    public let version: Version
    /// Superentities stand before their subentities.
    public let entities: [Entity]
    /// Where two classes of one name were given, the first.
    public let entitiesByName: [String: Entity]
    /// The classes that the entities come from; none for a schema that was made by hand or loaded.
    package let modelTypes: [any PersistentModel.Type]
    /// What was found wrong while entities were put together.
    let faults: [ModelFault]

    init(entities: [Entity], version: Version, encodingVersion: Version = Schema.schemaEncodingVersion, faults: [ModelFault] = []) {
        var faults = faults
        self.version = version
        self.encodingVersion = encodingVersion
        self.entities = EntityAssembly.arrange(entities, faults: &faults)
        entitiesByName = Dictionary(self.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        InverseResolution.resolve(self.entities, byName: entitiesByName, faults: &faults)
        modelTypes = self.entities.compactMap(\.modelType)
        self.faults = faults
    }

    /// A schema without entities.
    public convenience init() { self.init(entities: [], version: Version(1, 0, 0)) }

    /// A schema of entities that were made by hand. Subentities join.
    public convenience init(_ entities: Entity..., version: Version = Version(1, 0, 0)) {
        self.init(entities: entities, version: version)
    }

    public convenience init(_ types: [any PersistentModel.Type], version: Version = Version(1, 0, 0)) {
        var faults: [ModelFault] = []
        let entities = EntityAssembly.entities(of: types, faults: &faults)
        self.init(entities: entities, version: version, faults: faults)
    }

    public convenience init(_ types: any PersistentModel.Type..., version: Version = Version(1, 0, 0)) {
        self.init(types, version: version)
    }

    public convenience init(versionedSchema: any VersionedSchema.Type) {
        self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
    }

    // MARK: Looking things up

    /// The entity of a class; nil where the schema has none.
    public func entity<T: PersistentModel>(for type: T.Type) -> Entity? { entitiesByName[Self.entityName(for: type)] }

    /// The unqualified name of the class.
    public static func entityName<T: PersistentModel>(for type: T.Type) -> String { ModelShape.of(type).entityName }

    // MARK: Comparing

    public static func == (left: Schema, right: Schema) -> Bool {
        left === right
            || (left.version == right.version && left.encodingVersion == right.encodingVersion && left.entities == right.entities)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(version)
        hasher.combine(entities.map(\.name))
    }

    public var debugDescription: String { "Schema(\(version): \(entities.map(\.name).joined(separator: ", ")))" }

    // MARK: Schema files

    private enum Key: CodingKey { case encodingVersion, version, entities }

    public convenience init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let encodingVersion = try container.decode(Version.self, forKey: .encodingVersion)
        guard encodingVersion.major <= Self.schemaEncodingVersion.major else {
            throw DecodingError.dataCorruptedError(
                forKey: .encodingVersion, in: container,
                debugDescription: "form \(encodingVersion); this program reads up to \(Self.schemaEncodingVersion)")
        }
        self.init(
            entities: try container.decode([Entity].self, forKey: .entities), version: try container.decode(Version.self, forKey: .version),
            encodingVersion: encodingVersion)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(encodingVersion, forKey: .encodingVersion)
        try container.encode(version, forKey: .version)
        try container.encode(entities, forKey: .entities)
    }

    /// Writes the schema as JSON, replacing what is there.
    public func save(to url: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        try encoder.encode(self).write(to: url, options: .atomic)
    }

    /// Reads what `save(to:)` wrote. Its entities have no classes: it serves to compare, and to open stores without them.
    public static func load(from url: URL) throws -> Schema {
        try JSONDecoder().decode(Schema.self, from: Data(contentsOf: url))
    }
}
