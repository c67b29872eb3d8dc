// Where the values of a column come from when a table changes its layout.

/// Pairs of rows that an old relationship relates, as one old table holds them.
package struct Membership: Hashable, Sendable {
    /// One end of a pair in a row of that table: the row itself, or the row that a column refers to.
    package enum End: Hashable, Sendable {
        case row
        case column(Int)
    }

    /// The old table.
    package let table: Int
    package let owner: End
    package let member: End
    /// The column with the member's place among the owner's; nil where no order is kept.
    package let position: Int?

    package init(_ link: StoredEntity.Link, of entity: StoredEntity) {
        position = link.positionColumn
        switch link.place {
        case .own(let column):
            table = entity.table
            (owner, member) = (.row, .column(column))
        case .inverse(let other, let column):
            table = other
            (owner, member) = (.column(column), .row)
        case .join(let pairs, let own, let other):
            table = pairs
            (owner, member) = (.column(own), .column(other))
        }
    }
}

/// Where one column of a new table has its values from.
package enum ColumnOrigin: Hashable, Sendable {
    /// Nowhere: rows get the default, or nothing.
    case new
    /// The column of the old table that had it.
    case kept(Int)
    /// Different columns for rows of different old entities; those that are not named get the default.
    case byEntity([String: Int])
    /// A reference that another place held: the other end of `membership` for a row at the owner's end, or at the member's.
    case related(Membership, asOwner: Bool)
    /// The row's place among the members of its owner, which another table held.
    case place(Membership)

    /// The old columns it reads from the row's own old table.
    package var columns: [Int] {
        switch self {
        case .kept(let column): [column]
        case .byEntity(let columns): columns.values.sorted()
        case .new, .related, .place: []
        }
    }

    var isElsewhere: Bool {
        switch self {
        case .related, .place: true
        case .new, .kept, .byEntity: false
        }
    }
}

/// One table of the new layout, and what it is made from.
package struct TableChange: Sendable {
    package let table: Int
    /// The old table whose rows it takes over, keys and record names included; nil for a table that starts without them.
    package let source: Int?
    /// By column of the new table.
    package let columns: [ColumnOrigin]
    /// New names of the entities whose rows it takes over, by their old names. Rows of other entities of the old table go.
    package let entities: [String: String]
    /// For a new table of pairs: where the pairs are found; `isReversed` where the owner stands at the target's end.
    package let pairs: [(membership: Membership, isReversed: Bool)]
    /// Whether the rows are written anew. Otherwise the table is altered where it stands.
    package let isRebuilt: Bool
}
