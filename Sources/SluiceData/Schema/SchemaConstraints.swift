/// What `#Unique` and `#Index` become: names no property of its own, and speaks about several of one class.
protocol ModelConstraint {
    var modelType: any PersistentModel.Type { get }
    /// Each group is one constraint.
    var groups: [[AnyKeyPath]] { get }
}

extension Schema {
    /// Properties, or sets of properties, that fetches filter or sort by; `#Index` makes one.
    public final class Index<T: PersistentModel>: SchemaProperty, ModelConstraint {
        /// How an index is kept.
        public enum Types<P> {
            /// Sorted by the values, the first key path first.
            case binary([PartialKeyPath<P>])
            /// SwiftData's index over ranges. The store keeps it as one sorted by the values.
            case rtree([PartialKeyPath<P>])

            var keyPaths: [PartialKeyPath<P>] {
                switch self {
                case .binary(let keyPaths), .rtree(let keyPaths): keyPaths
                }
            }
        }

        /// The indices, each over one or several properties.
        public let indices: [Types<T>]
        public var name = "SwiftData.Schema.Index"
        public var originalName = "SwiftData.Schema.Index"
        public var valueType: any Any.Type = Index<T>.self
        public var isUnique: Bool { false }

        /// Indices in the order of values.
        public init(_ indices: [PartialKeyPath<T>]...) { self.indices = indices.map(Types.binary) }

        public init(_ indices: Types<T>...) { self.indices = indices }

        var modelType: any PersistentModel.Type { T.self }
        var groups: [[AnyKeyPath]] { indices.map(\.keyPaths) }

        public static func == (left: Index, right: Index) -> Bool { left.groups == right.groups }

        public func hash(into hasher: inout Hasher) { hasher.combine(groups) }

        public convenience init(from decoder: any Decoder) throws {
            let groups = try ConstraintCoding.groups(of: T.self, from: decoder)
            self.init(indices: groups.map(Types.binary))
        }

        private init(indices: [Types<T>]) { self.indices = indices }

        public func encode(to encoder: any Encoder) throws { try ConstraintCoding.encode(groups, of: T.self, to: encoder) }
    }

    /// Properties, or sets of properties, that no two models share; `#Unique` makes one.
    public final class Unique<T: PersistentModel>: SchemaProperty, ModelConstraint {
        /// The sets of properties whose values together are unique.
        public let constraints: [[PartialKeyPath<T>]]
        public var name = "SwiftData.Schema.Unique"
        public var originalName = "SwiftData.Schema.Unique"
        public var valueType: any Any.Type = Unique<T>.self
        public var isUnique: Bool { true }

        /// Sets of properties whose values together are unique.
        public init(_ constraints: [PartialKeyPath<T>]...) { self.constraints = constraints }

        private init(constraints: [[PartialKeyPath<T>]]) { self.constraints = constraints }

        var modelType: any PersistentModel.Type { T.self }
        var groups: [[AnyKeyPath]] { constraints }

        public static func == (left: Unique, right: Unique) -> Bool { left.groups == right.groups }

        public func hash(into hasher: inout Hasher) { hasher.combine(groups) }

        public convenience init(from decoder: any Decoder) throws {
            self.init(constraints: try ConstraintCoding.groups(of: T.self, from: decoder))
        }

        public func encode(to encoder: any Encoder) throws { try ConstraintCoding.encode(groups, of: T.self, to: encoder) }
    }
}

/// Constraints are kept by the names of their properties, which the class turns into key paths again.
private enum ConstraintCoding {
    static func encode(_ groups: [[AnyKeyPath]], of type: any PersistentModel.Type, to encoder: any Encoder) throws {
        let shape = ModelShape.of(type)
        let names = try groups.map { group in
            try group.map { keyPath in
                guard let property = shape.property(for: keyPath) else {
                    throw EncodingError.invalidValue(
                        keyPath, .init(codingPath: encoder.codingPath, debugDescription: "no stored property of \(type)"))
                }
                return property.name
            }
        }
        var container = encoder.singleValueContainer()
        try container.encode(names)
    }

    static func groups<Model: PersistentModel>(of type: Model.Type, from decoder: any Decoder) throws -> [[PartialKeyPath<Model>]] {
        let shape = ModelShape.of(type)
        let names = try decoder.singleValueContainer().decode([[String]].self)
        return try names.map { group in
            try group.map { name in
                guard let keyPath = shape.property(named: name)?.keyPath as? PartialKeyPath<Model> else {
                    throw DecodingError.dataCorrupted(
                        .init(codingPath: decoder.codingPath, debugDescription: "\(type) declares no property \(name)"))
                }
                return keyPath
            }
        }
    }
}
