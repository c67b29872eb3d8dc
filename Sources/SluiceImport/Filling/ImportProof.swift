import SluiceSchema
import SluiceStore

// The proof that a finished import holds what the file holds. Done before the store gets its name, because integrity_check knows nothing
// of rows that never arrived.
extension StoreFiller {
    /// Reads every row of the file again and compares it with what the store holds.
    /// - Returns: the digest of the rows as the store holds them.
    func verify() throws -> String {
        var digest = ContentDigest()
        for entity in file.entities {
            guard let target = store.layout.entities[entity], !target.isAbstract else { continue }
            try file.forEachBatch(of: entity) { rows in
                for row in rows { try verify(row, target, &digest) }
            }
        }
        outcome.contentDigest = digest.finish()
        return outcome.contentDigest
    }

    private func verify(_ row: LegacyRow, _ entity: StoredEntity, _ digest: inout ContentDigest) throws {
        guard let place = try map.place(entity: row.entity, primaryKey: row.primaryKey) else { return }
        // What was here before this run may have lost a file since; that is not the import's to prove.
        let spare: ((ExternalValueFault) -> Void)? = place.isFresh ? nil : { _ in }
        guard let held = try store.row(at: place.row, onFault: spare), held.name == row.recordName, held.entity == row.entity else {
            throw ImportError.unfaithfulCopy(entity: row.entity, row: row.primaryKey, property: "")
        }
        digest.add(held)
        guard place.isFresh else { return }
        for (name, value) in row.values {
            if let kept = held.attributes[name], kept != value, outcome.unmappedValues["\(row.entity).\(name)"] == nil {
                throw ImportError.unfaithfulCopy(entity: row.entity, row: row.primaryKey, property: name)
            }
        }
        for link in entity.links {
            guard case .own = link.place, let target = row.toOne[link.relationship.name] ?? nil,
                let expected = try map.place(of: target)
            else { continue }
            if held.references[link.relationship.name] != expected.name {
                throw ImportError.unfaithfulCopy(entity: row.entity, row: row.primaryKey, property: link.relationship.name)
            }
        }
    }
}
