/// Accounts for every table, column and row of a legacy file: where each went, or why it was left.
package struct ImportReport: Hashable, Sendable, Codable {
    package enum Kind: String, Sendable, Codable {
        case coreData
        case sluice
        case json
    }

    /// What became of a table.
    package enum TableFate: Hashable, Sendable, Codable {
        /// Its rows are objects; the entities below say how many of each.
        case entities(root: String)
        /// Its rows are pairs of a many-to-many relationship.
        case pairs(relationship: String)
        /// A store of ours: the table is what it was.
        case copied
        case left(reason: String)
        /// By the mapping.
        case omitted(reason: String)
    }

    /// What became of a column.
    package enum ColumnFate: Hashable, Sendable, Codable {
        case attribute(property: String)
        case reference(relationship: String)
        /// The entity of what a reference points at; follows from the reference.
        case entityOfReference(relationship: String)
        case position(relationship: String)
        /// Part of how the file is built; it has its counterpart in how ours is.
        case structure(meaning: String)
        /// A store of ours: the column is what it was.
        case copied
        case left(reason: String)
        /// By the mapping; the property is called as in the legacy store.
        case omitted(property: String, reason: String)
    }

    /// What the mapping leaves out.
    package struct Omission: Hashable, Sendable, Codable {
        /// "Entity" or "Entity.property", as in the legacy store.
        package let subject: String
        package let reason: String
        package let rowCount: Int
        /// Values of a property; those of omitted rows are not counted again.
        package let valueCount: Int
    }

    package struct Column: Hashable, Sendable, Codable {
        package let name: String
        package let declaredType: String
        package let fate: ColumnFate
        /// Values that are not nil.
        package let valueCount: Int
        /// Those of them that are imported.
        package let importedCount: Int
    }

    package struct Table: Hashable, Sendable, Codable {
        package let name: String
        package let fate: TableFate
        package let rowCount: Int
        package let importedRowCount: Int
        /// Rows that the mapping leaves out.
        package var omittedRowCount = 0
        package let columns: [Column]
    }

    package struct EntityCount: Hashable, Sendable, Codable {
        package let entity: String
        /// The entity's number in the file (`Z_ENT`); nil for files of ours.
        package let number: Int64?
        package let table: String
        package let rowCount: Int
    }

    package struct Totals: Hashable, Sendable, Codable {
        package let tables: Int
        package let columns: Int
        package let rows: Int
        package let importedRows: Int
        package let importedLinks: Int
        /// Rows and pairs that the mapping leaves out.
        package let omittedRows: Int
        /// `rows` is the sum of this, the imported and the omitted.
        package let leftRows: Int
    }

    package let kind: Kind
    package let source: String
    package let digest: String
    package let byteCount: Int
    /// The store's own identifier (`Z_UUID`).
    package let storeIdentifier: String
    package let schemaName: String
    package let schemaVersion: String
    package let tables: [Table]
    package let entities: [EntityCount]
    package let totals: Totals
    package let omissions: [Omission]
    package let notes: [ImportNote]

    /// Rows of an entity itself, without its subentities'.
    package func rowCount(of entity: String) -> Int? { entities.first { $0.entity == entity }?.rowCount }
}
