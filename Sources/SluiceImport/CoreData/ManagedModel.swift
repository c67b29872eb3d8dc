import SluiceSchema

/// Core Data's model as the file describes it, before any of our rules apply. Names in original case.
struct ManagedModel {
    enum Origin: String, Codable, Sendable {
        /// The archived model in `Z_MODELCACHE`.
        case modelCache
        /// Guessed from tables and columns; property names are in capitals, types are those of the columns.
        case tables
    }

    let origin: Origin
    var entities: [ManagedEntity] { didSet { positions = Self.positions(of: entities) } }
    private var positions: [String: Int]
    /// As the developer wrote them; a `Schema.Version` for SwiftData.
    var versionIdentifiers: [String] = []

    init(origin: Origin, entities: [ManagedEntity]) {
        self.origin = origin
        self.entities = entities
        positions = Self.positions(of: entities)
    }

    private static func positions(of entities: [ManagedEntity]) -> [String: Int] {
        Dictionary(entities.enumerated().map { ($1.name, $0) }) { first, _ in first }
    }

    func entity(named name: String) -> ManagedEntity? { positions[name].map { entities[$0] } }

    /// The entity, its superentity, up to the root.
    func lineage(of name: String) -> [ManagedEntity] {
        var lineage: [ManagedEntity] = []
        var next: String? = name
        while let name = next, lineage.count < entities.count, let entity = entity(named: name) {
            lineage.append(entity)
            next = entity.superentity
        }
        return lineage
    }

    func root(of name: String) -> String { lineage(of: name).last?.name ?? name }

    /// The entity and everything below it.
    func family(of name: String) -> [ManagedEntity] {
        entities.filter { candidate in lineage(of: candidate.name).contains { $0.name == name } }
    }
}

struct ManagedEntity {
    var name: String
    var superentity: String?
    var isAbstract = false
    var renamingIdentifier: String?
    /// What the entity adds to its superentity's properties, by name.
    var attributes: [ManagedAttribute] = []
    var relationships: [ManagedRelationship] = []
    /// Stored queries: they have no value in the file.
    var fetchedProperties: [String] = []
    /// Inherited properties that this entity describes differently (another default, optional or not).
    var overrides: [String] = []
    var uniqueTuples: [[String]] = []
    var indices: [[String]] = []
}

struct ManagedAttribute {
    var name: String
    /// NSAttributeType, an open set of numbers.
    var typeCode: Int
    var isOptional = true
    var isTransient = false
    var isDerived = false
    var defaultValue: PropertyValue?
    /// The default could not be expressed as a value of the type.
    var hasUnreadableDefault = false
    var renamingIdentifier: String?
    var hashModifier: String?
    var transformer: String?
    var isExternal = false
    var isPreservedOnDeletion = false
    /// Swift's name of the enumeration that the members are the cases of.
    var enumType: String?
    /// The members of a composite attribute.
    var elements: [ManagedAttribute] = []
}

struct ManagedRelationship {
    var name: String
    var destination: String
    var inverse: String?
    var deleteRule: DeleteRule = .nullify
    var isOptional = true
    var isToMany = false
    var isOrdered = false
    var isTransient = false
    var minimumCount = 0
    var maximumCount = 0
    var renamingIdentifier: String?
}
