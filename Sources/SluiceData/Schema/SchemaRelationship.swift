extension Schema {
    /// A property that holds another model, or several.
    public final class Relationship: SchemaProperty, CustomDebugStringConvertible, Sendable {
        private let parts: LockedState<Parts>

        private struct Parts: Equatable {
            var name: String
            var originalName: String
            var keypath: AnyKeyPath?
            var options: [Option]
            var valueType: any Any.Type
            var isToMany: Bool
            var isOptional: Bool
            var destination: String
            var deleteRule: DeleteRule
            var inverseName: String?
            var inverseKeyPath: AnyKeyPath?
            /// Declared with `inverse: nil`: nothing is inferred.
            var isOneWay: Bool
            var minimumModelCount: Int?
            var maximumModelCount: Int?
            var hashModifier: String?

            var earlierName: String { originalName.isEmpty ? name : originalName }

            static func == (left: Parts, right: Parts) -> Bool {
                left.name == right.name && left.earlierName == right.earlierName && left.options == right.options
                    && left.isToMany == right.isToMany && left.isOptional == right.isOptional && left.destination == right.destination
                    && left.deleteRule == right.deleteRule && left.inverseName == right.inverseName
                    && left.minimumModelCount == right.minimumModelCount && left.maximumModelCount == right.maximumModelCount
                    && left.hashModifier == right.hashModifier
            }
        }

        /// What `@Relationship` says without `inverse:`. Where exactly one relationship of the destination can be the other end, it is.
        public convenience init(
            _ options: Option..., deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0, maximumModelCount: Int? = 0,
            originalName: String? = nil, hashModifier: String? = nil
        ) {
            self.init(
                name: "", originalName: originalName, options: options, valueType: Any.self, destination: "", deleteRule: deleteRule,
                minimumModelCount: minimumModelCount, maximumModelCount: maximumModelCount, hashModifier: hashModifier)
        }

        /// What `@Relationship` says with `inverse:`. nil makes a relationship that nothing points back from.
        public convenience init(
            _ options: Option..., deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0, maximumModelCount: Int? = 0,
            originalName: String? = nil, inverse: AnyKeyPath?, hashModifier: String? = nil
        ) {
            self.init(
                name: "", originalName: originalName, options: options, valueType: Any.self, destination: "", deleteRule: deleteRule,
                minimumModelCount: minimumModelCount, maximumModelCount: maximumModelCount, inverseKeyPath: inverse,
                hashModifier: hashModifier)
            parts[\.isOneWay] = inverse == nil
        }

        /// - Parameters:
        ///   - valueType: the property's type; an array makes the relationship to-many, an optional makes it optional.
        ///   - destination: the name of the entity at the other end.
        ///   - minimumModelCount: least number of members, checked at save; nil and 0 mean no limit.
        public init(
            name: String, originalName: String? = nil, options: [Option] = [], valueType: any Any.Type, destination: String,
            deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, inverseName: String? = nil,
            inverseKeyPath: AnyKeyPath? = nil, keypath: AnyKeyPath? = nil, hashModifier: String? = nil
        ) {
            parts = LockedState(
                Parts(
                    name: name, originalName: originalName ?? "", keypath: keypath, options: options, valueType: valueType,
                    isToMany: Self.isToMany(valueType), isOptional: valueType is any OptionalType.Type, destination: destination,
                    deleteRule: deleteRule, inverseName: inverseName, inverseKeyPath: inverseKeyPath, isOneWay: false,
                    minimumModelCount: minimumModelCount, maximumModelCount: maximumModelCount, hashModifier: hashModifier))
        }

        /// One of a schema's own, from what a class declares.
        convenience init(property: ModelProperty, destination: String, declared: Relationship?, options: [Option]) {
            self.init(
                name: property.name, originalName: declared?.parts[\.originalName] ?? property.attribute?.declaredOriginalName, options: options, valueType: property.valueType,
                destination: destination, deleteRule: declared?.deleteRule ?? .nullify, minimumModelCount: declared?.minimumModelCount ?? 0,
                maximumModelCount: declared?.maximumModelCount ?? 0, inverseKeyPath: declared?.inverseKeyPath, keypath: property.keyPath,
                hashModifier: declared?.hashModifier)
            parts[\.isOneWay] = declared?.isOneWay ?? false
        }

        private static func isToMany(_ valueType: any Any.Type) -> Bool {
            let type = (valueType as? any OptionalType.Type)?.wrappedType ?? valueType
            return type is any RelationshipCollection.Type
        }

        // MARK: What it says

        public var name: String {
            get { parts[\.name] }
            set { parts[\.name] = newValue }
        }

        public var originalName: String {
            get { parts.value.earlierName }
            set { parts[\.originalName] = newValue }
        }

        /// The property's key path; nil in a schema that was decoded.
        public var keypath: AnyKeyPath? {
            get { parts[\.keypath] }
            set { parts[\.keypath] = newValue }
        }

        /// What the declaration asks for.
        public var options: [Option] {
            get { parts[\.options] }
            set { parts[\.options] = newValue }
        }

        public var valueType: any Any.Type {
            get { parts[\.valueType] }
            set {
                parts[\.valueType] = newValue
                parts[\.isToMany] = Self.isToMany(newValue)
                parts[\.isOptional] = newValue is any OptionalType.Type
            }
        }

        /// The name of the entity at the other end.
        public var destination: String {
            get { parts[\.destination] }
            set { parts[\.destination] = newValue }
        }

        /// What happens to the other end when a model is deleted.
        public var deleteRule: DeleteRule {
            get { parts[\.deleteRule] }
            set { parts[\.deleteRule] = newValue }
        }

        /// The relationship at the other end that is kept in step with this one; a schema fills it in, declared or inferred.
        public var inverseName: String? {
            get { parts[\.inverseName] }
            set { parts[\.inverseName] = newValue }
        }

        /// The key path at the other end; nil for a one-way relationship, and in a schema that was decoded.
        public var inverseKeyPath: AnyKeyPath? {
            get { parts[\.inverseKeyPath] }
            set { parts[\.inverseKeyPath] = newValue }
        }

        /// How many members a save requires; nil for any number.
        public var minimumModelCount: Int? {
            get { parts[\.minimumModelCount] }
            set { parts[\.minimumModelCount] = newValue }
        }

        /// How many members a save allows; nil for any number.
        public var maximumModelCount: Int? {
            get { parts[\.maximumModelCount] }
            set { parts[\.maximumModelCount] = newValue }
        }

        /// Changes the checksum of the schema without changing its shape.
        public var hashModifier: String? {
            get { parts[\.hashModifier] }
            set { parts[\.hashModifier] = newValue }
        }

        public var isOptional: Bool { parts[\.isOptional] }
        /// Whether there is one partner at most.
        public var isToOneRelationship: Bool { !parts[\.isToMany] }
        public var isUnique: Bool { options.contains(.unique) }
        /// A to-many that keeps the order of its members.
        public var isOrdered: Bool { options.contains(.ordered) }
        package var isOneWay: Bool { parts[\.isOneWay] }

        public static func == (left: Relationship, right: Relationship) -> Bool { left === right || left.parts.value == right.parts.value }

        public func hash(into hasher: inout Hasher) { hasher.combine(name) }

        public var debugDescription: String {
            "Schema.Relationship(\(name): \(isToOneRelationship ? destination : "[\(destination)]"), inverse: \(inverseName ?? "none"))"
        }

        // MARK: In a schema file

        private enum Key: CodingKey {
            case name, originalName, options, valueType, isToMany, isOptional, destination, deleteRule, inverseName, isOneWay
            case minimumModelCount, maximumModelCount, hashModifier
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            let isOptional = try container.decode(Bool.self, forKey: .isOptional)
            let type = try container.decode(SchemaTypeName.self, forKey: .valueType).type
            parts = LockedState(
                Parts(
                    name: try container.decode(String.self, forKey: .name),
                    originalName: try container.decode(String.self, forKey: .originalName),
                    options: try container.decode([Option].self, forKey: .options), valueType: type ?? (isOptional ? Any?.self : Any.self),
                    isToMany: try container.decode(Bool.self, forKey: .isToMany), isOptional: isOptional,
                    destination: try container.decode(String.self, forKey: .destination),
                    deleteRule: try container.decode(DeleteRule.self, forKey: .deleteRule),
                    inverseName: try container.decodeIfPresent(String.self, forKey: .inverseName),
                    isOneWay: try container.decode(Bool.self, forKey: .isOneWay),
                    minimumModelCount: try container.decodeIfPresent(Int.self, forKey: .minimumModelCount),
                    maximumModelCount: try container.decodeIfPresent(Int.self, forKey: .maximumModelCount),
                    hashModifier: try container.decodeIfPresent(String.self, forKey: .hashModifier)))
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(name, forKey: .name)
            try container.encode(originalName, forKey: .originalName)
            try container.encode(options, forKey: .options)
            try container.encode(SchemaTypeName(valueType), forKey: .valueType)
            try container.encode(!isToOneRelationship, forKey: .isToMany)
            try container.encode(isOptional, forKey: .isOptional)
            try container.encode(destination, forKey: .destination)
            try container.encode(deleteRule, forKey: .deleteRule)
            try container.encodeIfPresent(inverseName, forKey: .inverseName)
            try container.encode(isOneWay, forKey: .isOneWay)
            try container.encodeIfPresent(minimumModelCount, forKey: .minimumModelCount)
            try container.encodeIfPresent(maximumModelCount, forKey: .maximumModelCount)
            try container.encodeIfPresent(hashModifier, forKey: .hashModifier)
        }
    }
}
