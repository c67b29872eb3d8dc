/// What happens to the other end when a row is deleted.
public enum DeleteRule: String, Hashable, Sendable, Codable, CaseIterable {
    /// The other end is left alone. A reference to a row that is gone reads as nil.
    case noAction
    /// The other end's reference becomes nil.
    case nullify
    /// The other end is deleted too.
    case cascade
    /// The deletion is refused while the other end exists.
    case deny
}

/// One relationship of an entity, seen from one end.
public struct Relationship: Hashable, Sendable, Codable {
    public var name: String
    /// The name in the schema's first version: the field's name on the wire.
    public var wireName: String
    /// The entity at the other end.
    public var destination: String
    public var isToMany: Bool
    public var isOptional: Bool
    /// A to-many that keeps the order of its members.
    public var isOrdered: Bool
    /// The relationship at the other end that is kept in step with this one.
    public var inverse: String?
    public var deleteRule: DeleteRule
    /// Least and greatest number of members, checked at save; 0 means no limit.
    public var minimumCount: Int
    public var maximumCount: Int

    public init(
        _ name: String, to destination: String, isToMany: Bool = false, isOptional: Bool = true, isOrdered: Bool = false,
        inverse: String? = nil, deleteRule: DeleteRule = .nullify, minimumCount: Int = 0, maximumCount: Int = 0, wireName: String? = nil
    ) {
        self.name = name
        self.wireName = wireName ?? name
        self.destination = destination
        self.isToMany = isToMany
        self.isOptional = isOptional
        self.isOrdered = isOrdered
        self.inverse = inverse
        self.deleteRule = deleteRule
        self.minimumCount = minimumCount
        self.maximumCount = maximumCount
    }
}
