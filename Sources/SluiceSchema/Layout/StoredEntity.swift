/// One entity as the store sees it: which columns of which table are its own, and where each relationship is kept.
package struct StoredEntity: Sendable {
    package let name: String
    /// The record type on the wire.
    package let wireName: String
    package let table: Int
    /// The value of the table's `_entity` column; nil where the table has none.
    package let discriminator: String?
    package let isAbstract: Bool
    package let isLocalOnly: Bool
    /// A row of a many-to-many relationship; its record name is made from its two ends.
    package let isJoin: Bool
    /// Positions in the table's columns of own and inherited properties.
    package let columns: [Int]
    /// The property that each column holds, by position in `columns`. A column is called otherwise where a sibling has a property of that name.
    package let propertyNames: [String]
    /// The field on the wire for each column, by position in `columns`.
    package let wireNames: [String]
    package let identity: [Int]
    package let uniqueness: [[Int]]
    package let links: [Link]

    /// One relationship, as this entity sees it.
    package struct Link: Sendable {
        package let relationship: Relationship
        package let place: Place
        /// The column with the members' places, beside the column that relates them; nil where their order is not kept.
        package let positionColumn: Int?
        /// The delete rule of this end: what happens to the destination when this row goes.
        package var deleteRule: DeleteRule { relationship.deleteRule }
    }

    package enum Place: Hashable, Sendable {
        /// This row's column holds the destination's key.
        case own(column: Int)
        /// A column of the destination's table holds this row's key.
        case inverse(table: Int, column: Int)
        /// A table of pairs.
        case join(table: Int, own: Int, other: Int)
    }

    package func link(named name: String) -> Link? { links.first { $0.relationship.name == name } }

    /// Whether a row makes no sense while the reference in that column is empty: both ends of a pair, and a required to-one.
    package func requiresReference(inColumn column: Int) -> Bool {
        isJoin || links.contains { $0.place == .own(column: column) && !$0.relationship.isOptional }
    }
}
