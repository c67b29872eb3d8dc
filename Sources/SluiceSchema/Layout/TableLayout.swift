import SluiceSQLite

/// One table of a store: the rows of one root entity and everything that inherits from it, or of one many-to-many relationship.
///
/// Besides the columns listed here every table has `_pk` (integer key), `_id` (record name) and, in a hierarchy, `_entity` (the entity's name).
package struct TableLayout: Hashable, Sendable {
    /// The root entity's name, or `Owner_relationship` for a many-to-many relationship.
    package let name: String
    package let isHierarchy: Bool
    package let columns: [Column]

    package struct Column: Hashable, Sendable {
        package let name: String
        package let content: Content
    }

    package enum Content: Hashable, Sendable {
        case attribute(Attribute)
        /// The `_pk` of a row in the table of that name.
        case reference(table: String, rule: ReferenceRule)
    }

    /// What SQLite itself does when a referenced row is deleted by somebody who does not go through us.
    package enum ReferenceRule: Hashable, Sendable {
        case setNull
        case cascade
    }

    /// The name, quoted for SQL.
    package var sql: String { SQLText.name(name) }
}

extension TableLayout.Column {
    package var sql: String { SQLText.name(name) }

    package var attribute: Attribute? { if case .attribute(let attribute) = content { attribute } else { nil } }

    /// Whether large values of the column lie in files beside the store.
    package var isExternal: Bool { attribute.map { $0.isExternal && $0.type.isBytes } ?? false }

    package var referencedTable: String? { if case .reference(let table, _) = content { table } else { nil } }

    /// Text attributes have a second column with the NFC form, filled only where it differs from the text as written.
    package var shadowName: String? { attribute?.type == .string ? "_nfc_\(name)" : nil }

    /// The expression that equality and uniqueness compare: Swift's string equality is canonical equivalence, SQLite's is bytes.
    package var comparisonSQL: String {
        shadowName.map { "coalesce(\(SQLText.name($0)), \(sql))" } ?? sql
    }
}
