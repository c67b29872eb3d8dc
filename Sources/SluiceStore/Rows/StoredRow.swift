package import SluiceSchema

/// One row as values: what leaves the store.
package struct StoredRow: Hashable, Sendable {
    package var entity: String
    package var name: RecordName
    /// Every attribute of the entity, null where it has no value.
    package var attributes: [String: PropertyValue]
    /// To-one relationships that are kept on this row's side and have a destination. For a row of a many-to-many relationship:
    /// `source` and `target`.
    package var references: [String: RecordName]

    package init(entity: String, name: RecordName, attributes: [String: PropertyValue] = [:], references: [String: RecordName] = [:]) {
        self.entity = entity
        self.name = name
        self.attributes = attributes
        self.references = references
    }
}

/// What a caller wants changed on one row, by property name.
package struct RowEdit: Sendable {
    package var attributes: [String: PropertyValue]
    /// Destinations of to-one relationships, from either side; a nil value clears.
    package var references: [String: RecordName?]
    /// Whole new memberships of to-many relationships.
    package var collections: [String: [RecordName]]

    package init(
        attributes: [String: PropertyValue] = [:], references: [String: RecordName?] = [:], collections: [String: [RecordName]] = [:]
    ) {
        self.attributes = attributes
        self.references = references
        self.collections = collections
    }
}
