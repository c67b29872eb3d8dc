/// What an import did to the store.
package struct ImportOutcome: Hashable, Sendable, Codable {
    /// The bytes of this source were imported before; nothing was done, and the numbers are those of that time.
    package var isRepeated = false
    package var insertedRows = 0
    /// Rows that were there under their name, with the same values.
    package var unchangedRows = 0
    /// Rows that were there and edited since; the edit stays.
    package var editedRows = 0
    /// Rows that were deleted here since; they stay deleted.
    package var deletedRows = 0
    /// Rows that another record's unique values or name keep out.
    package var conflictingRows = 0
    /// Rows of entities that the store's schema does not have.
    package var unmappedRows = 0
    package var insertedLinks = 0
    package var unchangedLinks = 0
    /// Links and references whose other end was kept out.
    package var brokenReferences = 0
    /// One-to-one references that the other side contradicts; the side that holds the relationship counts.
    package var contradictedReferences = 0
    /// Places in relationships that the store's schema does not keep in order. The members are imported.
    package var droppedPositions = 0
    /// By entity: inserted rows.
    package var inserted: [String: Int] = [:]
    /// By "Entity.property": values that the store's schema has no place for.
    package var unmappedValues: [String: Int] = [:]
    /// The first rows that were kept out, as "Entity 12: reason".
    package var examples: [String] = []
    /// SHA-256 over every imported row as the store holds it, in the file's order: the same wherever the file is imported.
    package var contentDigest = ""

    static let exampleCountMax = 20

    mutating func note(_ entity: String, _ primaryKey: Int64, _ reason: String) {
        if examples.count < Self.exampleCountMax { examples.append("\(entity) \(primaryKey): \(reason)") }
    }
}
