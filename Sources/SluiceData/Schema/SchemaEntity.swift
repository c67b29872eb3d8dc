extension Schema {
    /// One kind of model: a class's name, its properties, and what must be unique.
    public final class Entity: Codable, Hashable, CustomDebugStringConvertible, Sendable {
        private let parts: LockedState<Parts>
        /// The class; nil for an entity that was made by hand or loaded.
        package let modelType: (any PersistentModel.Type)?

        private struct Parts {
            var name: String
            var originalName = ""
            var storedProperties: [any SchemaProperty]
            var inheritedProperties: [any SchemaProperty] = []
            var uniquenessConstraints: [[String]] = []
            var indices: [[String]] = []
            var subentities: Set<Entity> = []
            var superentityName: String?
            /// Weak, because the superentity holds its subentities.
            weak var superentity: Entity?
        }

        init(_ name: String, modelType: (any PersistentModel.Type)?, properties: [any SchemaProperty]) {
            parts = LockedState(Parts(name: name, storedProperties: properties))
            self.modelType = modelType
        }

        /// An entity without properties.
        public convenience init(_ name: String) { self.init(name, modelType: nil, properties: []) }

        /// An entity with subentities; whoever makes it holds it, because they refer back to it weakly.
        public convenience init(_ name: String, subentities: Entity..., properties: any SchemaProperty...) {
            self.init(name, subentities: subentities, properties: properties)
        }

        public convenience init(_ name: String, properties: any SchemaProperty...) {
            self.init(name, modelType: nil, properties: properties)
        }

        convenience init(_ name: String, subentities: [Entity], properties: [any SchemaProperty]) {
            self.init(name, modelType: nil, properties: properties)
            self.subentities = Set(subentities)
        }

        public var name: String {
            get { parts[\.name] }
            set { parts[\.name] = newValue }
        }

        /// The name in the previous version of the schema, from `@Model(originalName:)`; the same as `name` where it was not renamed.
        package var originalName: String {
            get { parts[\.originalName].isEmpty ? name : parts[\.originalName] }
            set { parts[\.originalName] = newValue }
        }

        // MARK: Hierarchy

        /// Setting them makes this entity their superentity.
        public var subentities: Set<Entity> {
            get { parts[\.subentities] }
            set {
                parts[\.subentities] = newValue
                for subentity in newValue { subentity.superentity = self }
            }
        }

        /// The entity that this one inherits from.
        public var superentityName: String? {
            get { superentity?.name ?? parts[\.superentityName] }
            set { parts[\.superentityName] = newValue }
        }

        /// Held weakly: the schema, or whoever made it, keeps it.
        public var superentity: Entity? {
            get { parts[\.superentity] }
            set {
                parts[\.superentity] = newValue
                parts[\.superentityName] = newValue?.name
            }
        }

        // MARK: Properties

        /// What this entity declares itself.
        public var storedProperties: [any SchemaProperty] {
            get { parts[\.storedProperties] }
            set { parts[\.storedProperties] = newValue }
        }

        /// What its superentities declare, the root's first; a schema fills it in.
        public var inheritedProperties: [any SchemaProperty] {
            get { parts[\.inheritedProperties] }
            set { parts[\.inheritedProperties] = newValue }
        }

        /// Inherited properties, then its own.
        public var properties: [any SchemaProperty] { inheritedProperties + storedProperties }

        /// Its own attributes. Setting them leaves relationships and the order of attributes that stay as they were.
        public var attributes: Set<Attribute> {
            get { Set(storedProperties.compactMap { $0 as? Attribute }) }
            set { replace(Attribute.self, with: newValue) }
        }

        /// Its own relationships. Setting them leaves attributes and the order of relationships that stay as they were.
        public var relationships: Set<Relationship> {
            get { Set(storedProperties.compactMap { $0 as? Relationship }) }
            set { replace(Relationship.self, with: newValue) }
        }

        private func replace<Property: SchemaProperty>(_ kind: Property.Type, with properties: Set<Property>) {
            let kept = storedProperties.filter { property in (property as? Property).map(properties.contains) ?? true }
            let keptNames = Set(kept.compactMap { ($0 as? Property)?.name })
            storedProperties = kept + properties.filter { !keptNames.contains($0.name) }.sorted { $0.name < $1.name }
        }

        /// Attributes by name, inherited ones too.
        public var attributesByName: [String: Attribute] { Self.byName(properties.compactMap { $0 as? Attribute }) { $0.name } }
        /// Relationships by name, inherited ones too.
        public var relationshipsByName: [String: Relationship] { Self.byName(properties.compactMap { $0 as? Relationship }) { $0.name } }
        /// What the entity declares itself, by name.
        public var storedPropertiesByName: [String: any SchemaProperty] { Self.byName(storedProperties) { $0.name } }
        /// Inherited properties by name.
        public var inheritedPropertiesByName: [String: any SchemaProperty] { Self.byName(inheritedProperties) { $0.name } }

        /// A name that stands twice is a fault, which is reported when a store is asked for; until then the first counts.
        private static func byName<Property>(_ properties: [Property], _ name: (Property) -> String) -> [String: Property] {
            Dictionary(properties.map { (name($0), $0) }, uniquingKeysWith: { first, _ in first })
        }

        /// Names of own and inherited properties that no two models share, each alone or several together.
        public var uniquenessConstraints: [[String]] {
            get { parts[\.uniquenessConstraints] }
            set { parts[\.uniquenessConstraints] = newValue }
        }

        /// Names of own and inherited properties that fetches filter or sort by.
        public var indices: [[String]] {
            get { parts[\.indices] }
            set { parts[\.indices] = newValue }
        }

        // MARK: Comparing and keeping

        public static func == (left: Entity, right: Entity) -> Bool {
            left === right
                || (left.name == right.name && left.originalName == right.originalName && left.superentityName == right.superentityName
                    && left.uniquenessConstraints == right.uniquenessConstraints && left.indices == right.indices
                    && left.storedProperties.map(AnySchemaProperty.init) == right.storedProperties.map(AnySchemaProperty.init))
        }

        public func hash(into hasher: inout Hasher) { hasher.combine(name) }

        public var debugDescription: String { "Schema.Entity(\(name): \(properties.map(\.name).joined(separator: ", ")))" }

        private enum Key: CodingKey { case name, originalName, superentityName, properties, uniquenessConstraints, indices }

        public convenience init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            let properties = try container.decode([AnySchemaProperty].self, forKey: .properties).map(\.property)
            self.init(try container.decode(String.self, forKey: .name), modelType: nil, properties: properties)
            originalName = try container.decode(String.self, forKey: .originalName)
            superentityName = try container.decodeIfPresent(String.self, forKey: .superentityName)
            uniquenessConstraints = try container.decode([[String]].self, forKey: .uniquenessConstraints)
            indices = try container.decode([[String]].self, forKey: .indices)
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(name, forKey: .name)
            try container.encode(originalName, forKey: .originalName)
            try container.encodeIfPresent(superentityName, forKey: .superentityName)
            try container.encode(storedProperties.map(AnySchemaProperty.init), forKey: .properties)
            try container.encode(uniquenessConstraints, forKey: .uniquenessConstraints)
            try container.encode(indices, forKey: .indices)
        }
    }
}
