package import SluiceSchema

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
