/// One kind of row.
public struct Entity: Hashable, Sendable, Codable {
    public var name: String
    /// The name in the schema's first version: the record type on the wire and the name that natural-key record names are made from.
    public var wireName: String
    /// The entity this one specialises. Its rows lie in the root entity's table.
    public var superentity: String?
    /// Only subentities have rows.
    public var isAbstract: Bool
    /// What this entity adds to its superentity's properties.
    public var attributes: [Attribute]
    public var relationships: [Relationship]
    /// Sets of properties whose values are unique together.
    public var uniqueness: [[String]]
    public var indices: [[String]]
    /// The attributes that make the record name: one of type UUID, or a natural key. Empty: each row gets a new name.
    public var identity: [String]
    /// Rows stay on this device: they are stored and projected, never sent.
    public var isLocalOnly: Bool

    public init(
        _ name: String, wireName: String? = nil, superentity: String? = nil, isAbstract: Bool = false, attributes: [Attribute] = [],
        relationships: [Relationship] = [], uniqueness: [[String]] = [], indices: [[String]] = [], identity: [String] = [],
        isLocalOnly: Bool = false
    ) {
        self.name = name
        self.wireName = wireName ?? name
        self.superentity = superentity
        self.isAbstract = isAbstract
        self.attributes = attributes
        self.relationships = relationships
        self.uniqueness = uniqueness
        self.indices = indices
        self.identity = identity
        self.isLocalOnly = isLocalOnly
    }
}
