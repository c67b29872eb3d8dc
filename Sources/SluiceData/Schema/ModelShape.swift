import Synchronization

/// What a model class declares, read from its metadata once and kept for the life of the process.
package final class ModelShape: Sendable {
    package let type: any PersistentModel.Type
    /// The class's unqualified name. Classes of one name in different versions' namespaces are one entity.
    package let entityName: String
    /// The class's name in an earlier version: `@Model(originalName:)`.
    package let originalName: String?
    package let superclass: ModelShape?
    /// The whole hierarchy's, the root class's first; a property's index is its position.
    package let properties: [ModelProperty]
    /// What `#Unique` and `@Attribute(.unique)` say in this class, without its superclasses.
    package let uniqueness: [[String]]
    /// What `#Index` says in this class, without its superclasses.
    package let indices: [[String]]
    /// Key paths in `#Unique` and `#Index` that lead to no stored property of the class, as they print.
    package let unresolvedConstraints: [String]

    private let positionsByName: [String: Int]
    private let positions: KeyPathPositions

    /// How many properties the superclasses declare: the index of the first own one.
    package var inheritedPropertyCount: Int { superclass?.properties.count ?? 0 }
    package var ownProperties: ArraySlice<ModelProperty> { properties[inheritedPropertyCount...] }
    package var root: ModelShape { superclass?.root ?? self }

    package func property(named name: String) -> ModelProperty? { positionsByName[name].map { properties[$0] } }

    /// The property that a key path of this class, of a superclass, or of a subclass leads to; nil where it leads to anything else, a
    /// property of a property included.
    package func property(for keyPath: AnyKeyPath) -> ModelProperty? {
        positions.position(of: keyPath, among: properties).map { properties[$0] }
    }

    /// The property that one step leads to.
    func property(at step: KeyPathStep) -> ModelProperty? { positions.position(of: step).map { properties[$0] } }

    /// Whether this class is `other` or inherits from it.
    package func isKind(of other: ModelShape) -> Bool { self === other || superclass?.isKind(of: other) == true }

    // MARK: Made once for each class

    private static let known = Mutex<[ObjectIdentifier: ModelShape]>([:])

    package static func of(_ type: any PersistentModel.Type) -> ModelShape {
        let key = ObjectIdentifier(type)
        if let shape = known.withLock({ $0[key] }) { return shape }
        // Outside the lock: metadata evaluates the class's own expressions, which may use other models. Whoever comes first is kept.
        let shape = ModelShape(reading: type)
        return known.withLock { shapes in
            if let other = shapes[key] { return other }
            shapes[key] = shape
            return shape
        }
    }

    private init(reading type: any PersistentModel.Type) {
        self.type = type
        entityName = String(describing: type)
        let superclass = (_getSuperclass(type) as? any PersistentModel.Type).map(ModelShape.of)
        self.superclass = superclass
        // A subclass that says nothing of its own hands on what its superclass says.
        originalName = type._$originalName == superclass?.type._$originalName ? nil : type._$originalName
        let reader = MetadataReader(type, first: superclass?.properties.count ?? 0)
        let properties = (superclass?.properties ?? []) + reader.properties
        self.properties = properties
        positionsByName = Dictionary(properties.map { ($0.name, $0.index) }, uniquingKeysWith: { first, _ in first })
        let positions = KeyPathPositions(properties)
        self.positions = positions
        func name(_ keyPath: AnyKeyPath) -> String? {
            positions.position(of: keyPath, among: properties).map { properties[$0].name }
        }
        let resolved = reader.uniqueGroups.map { $0.map(name) }
        let resolvedIndices = reader.indexGroups.map { $0.map(name) }
        let alone = reader.properties.filter { $0.metadata?.isUnique == true }.map { [$0.name] }
        uniqueness = alone + resolved.map { $0.compactMap(\.self) }.filter { !$0.isEmpty && !alone.contains($0) }
        indices = resolvedIndices.map { $0.compactMap(\.self) }.filter { !$0.isEmpty }
        unresolvedConstraints = (reader.uniqueGroups + reader.indexGroups).joined().filter { name($0) == nil }.map { "\($0)" }
    }
}

/// How many properties a class inherits: the index at which its own begin. `@Model` asks once for each subclass.
public func _inheritedPropertyCount(of type: any PersistentModel.Type) -> Int {
    (_getSuperclass(type) as? any PersistentModel.Type).map { ModelShape.of($0).properties.count } ?? 0
}
