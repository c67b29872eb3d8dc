/// One row as values: what leaves a store.
public struct StoredRow: Hashable, Sendable {
    public var entity: String
    public var name: RecordName
    /// Every attribute of the entity, or of those that were asked for; null where it has no value.
    public var attributes: [String: PropertyValue]
    /// To-one relationships that are kept on this row's side and have a destination. For a row of a many-to-many relationship:
    /// `source` and `target`.
    public var references: [String: RecordName]

    public init(entity: String, name: RecordName, attributes: [String: PropertyValue] = [:], references: [String: RecordName] = [:]) {
        self.entity = entity
        self.name = name
        self.attributes = attributes
        self.references = references
    }
}
