extension Schema.Attribute {
    /// What is true of an attribute beyond its type.
    public struct Option: Codable, Hashable, Sendable {
        private let name: String
        /// The transformer's name, with `transformable(by:)`.
        package let transformerName: String?

        private init(_ name: String, transformerName: String? = nil) {
            self.name = name
            self.transformerName = transformerName
        }

        /// No two rows share a value. A row that is saved with the value of another becomes that row.
        public static var unique: Option { Option("unique") }
        /// Large values lie in files beside the store.
        public static var externalStorage: Option { Option("externalStorage") }
        /// Accepted, as SwiftData has it. A record service that Sluice syncs with has no encrypted fields.
        public static var allowsCloudEncryption: Option { Option("allowsCloudEncryption") }
        /// The last value stays readable in history after the row is deleted.
        public static var preserveValueOnDeletion: Option { Option("preserveValueOnDeletion") }
        /// The value is observed and belongs to the context, and is not stored.
        public static var ephemeral: Option { Option("ephemeral") }
        /// Accepted, as SwiftData has it. There is no Spotlight on this platform.
        public static var spotlight: Option { Option("spotlight") }
        /// The value's `Codable` form is stored as one opaque value, whatever its type.
        public static var codable: Option { Option("codable") }

        /// The value is stored as what a transformer makes of it. The transformer is found by its type's name.
        public static func transformable(by transformerType: ValueTransformer.Type) -> Option {
            Option("transformable", transformerName: ValueTransformer.registeredName(for: transformerType))
        }

        /// The value is stored as what the transformer registered under that name makes of it.
        public static func transformable(by transformerName: String) -> Option {
            Option("transformable", transformerName: transformerName)
        }
    }
}

extension Schema.Attribute.Option: CustomDebugStringConvertible {
    public var debugDescription: String { transformerName.map { "\(name)(by: \($0))" } ?? name }
}
