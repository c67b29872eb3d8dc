// Edits by name and value: what `put`, import and the models above use. Decides the record name, checks types and required values,
// resolves references, and turns an insert that meets a unique value into an update of the row that has it.

import SluiceSQLite
package import SluiceSchema

extension Store {
    package enum PutOutcome: Sendable { case inserted, updated, unchanged }

    /// Inserts a row, or updates the one that has this name, this identity or the same unique values.
    /// - Parameter name: nil lets the entity's identity, or a fresh UUIDv7, decide.
    /// - Throws: `StoreError`; nothing of this edit is then in the transaction, if the caller lets the error end it.
    @discardableResult
    package func put(
        _ entityName: String, name: RecordName? = nil, _ edit: RowEdit
    ) throws -> (name: RecordName, outcome: PutOutcome) {
        let entity = try concreteEntity(entityName)
        let table = layout.table(of: entity)
        var cells = try attributeCells(edit.attributes, of: entity)
        cells += try referenceCells(edit.references, of: entity)
        let given = try recordName(for: entity, table: table, attributes: edit.attributes, explicit: name)
        let existing = try existingRow(entity, name: given, cells: cells)
        let joined = try orderedListsJoined(by: existing, entity: entity, edit: edit)
        let outcome: PutOutcome
        let row: RowKey
        if let existing {
            let before = connection.totalChangeCount
            try updateRow(existing, of: entity, cells: cells)
            outcome = connection.totalChangeCount - before > 1 ? .updated : .unchanged
            row = existing
        } else {
            try checkRequired(entity, table: table, edit: edit)
            row = try insertRow(entity, name: given ?? naming.fresh(), cells: cells + defaultCells(of: entity, table: table, given: cells))
            outcome = .inserted
        }
        try relate(row, entity: entity, edit: edit)
        for list in joined { try append(row, to: list) }
        guard let final = try self.name(of: row) else { throw StoreError.damaged(path: path, faults: ["a row without a record name"]) }
        return (final, outcome)
    }

    /// Deletes the record of that name with what its delete rules take along, and returns how many rows went.
    @discardableResult
    package func delete(_ name: RecordName) throws -> Int {
        guard let row = try row(named: name) else { throw StoreError.noSuchRecord(name) }
        return try deleteRows([row]).count
    }

    package func concreteEntity(_ name: String) throws(StoreError) -> StoredEntity {
        guard let entity = layout.entities[name] else { throw .unknownEntity(name) }
        guard !entity.isAbstract else { throw .abstractEntity(name) }
        return entity
    }

    // MARK: Cells

    private func attributeCells(_ attributes: [String: PropertyValue], of entity: StoredEntity) throws -> [Cell] {
        let columns = layout.table(of: entity).columns
        return try attributes.sorted { $0.key < $1.key }.map { name, value in
            guard let column = entity.columns.first(where: { columns[$0].attribute?.name == name }), let attribute = columns[column].attribute
            else { throw StoreError.unknownProperty(name, entity: entity.name) }
            guard value.fits(attribute.type) else { throw StoreError.wrongType(property: name, entity: entity.name) }
            guard !value.isNull || attribute.isOptional else { throw StoreError.missingValue(property: name, entity: entity.name) }
            return Cell(column: column, value: value.stored)
        }
    }

    private func referenceCells(_ references: [String: RecordName?], of entity: StoredEntity) throws -> [Cell] {
        try references.sorted { $0.key < $1.key }.compactMap { name, target in
            if entity.isJoin {
                let columns = layout.table(of: entity).columns
                guard let column = columns.firstIndex(where: { $0.name == name }), let table = columns[column].referencedTable else {
                    throw StoreError.unknownProperty(name, entity: entity.name)
                }
                let row = try target.flatMap { try self.key(of: $0, table: layout.tableIndex(named: table) ?? 0) }
                guard let row else { throw StoreError.missingReference(relationship: name, entity: entity.name, target: target ?? .text("")) }
                return Cell(column: column, value: .integer(row.key))
            }
            guard let link = entity.link(named: name), !link.relationship.isToMany else {
                throw StoreError.unknownProperty(name, entity: entity.name)
            }
            guard case .own(let column) = link.place else { return nil }
            let key = try target.map { try destination($0, of: link.relationship, entity: entity).key }
            return Cell(column: column, value: SQLiteValue(key))
        }
    }

    /// The row a relationship is to point at, of the right entity.
    func destination(_ target: RecordName, of relationship: Relationship, entity: StoredEntity) throws -> RowKey {
        guard let wanted = layout.entities[relationship.destination], let row = try key(of: target, table: wanted.table) else {
            throw StoreError.missingReference(relationship: relationship.name, entity: entity.name, target: target)
        }
        let found = try self.entity(of: row).flatMap { layout.schema.entity(named: $0.name) }
        guard let found, layout.schema.lineage(of: found).contains(where: { $0.name == relationship.destination }) else {
            throw StoreError.wrongDestination(relationship: relationship.name, entity: entity.name, target: target)
        }
        return row
    }

    private func defaultCells(of entity: StoredEntity, table: TableLayout, given: [Cell]) -> [Cell] {
        let named = Set(given.map(\.column))
        return entity.columns.compactMap { column in
            guard !named.contains(column), let value = table.columns[column].attribute?.defaultValue else { return nil }
            return Cell(column: column, value: value.stored)
        }
    }

    private func checkRequired(_ entity: StoredEntity, table: TableLayout, edit: RowEdit) throws {
        for column in entity.columns {
            guard let attribute = table.columns[column].attribute, !attribute.isOptional, attribute.defaultValue == nil,
                edit.attributes[attribute.name] == nil
            else { continue }
            throw StoreError.missingValue(property: attribute.name, entity: entity.name)
        }
        for link in entity.links where !link.relationship.isToMany && !link.relationship.isOptional {
            guard case .own = link.place else { continue }
            guard case .some(.some) = edit.references[link.relationship.name] else {
                throw StoreError.missingValue(property: link.relationship.name, entity: entity.name)
            }
        }
    }

    // MARK: Names

    private func recordName(
        for entity: StoredEntity, table: TableLayout, attributes: [String: PropertyValue], explicit: RecordName?
    ) throws -> RecordName? {
        let isIdentified = entity.identity.allSatisfy { attributes[table.columns[$0].attribute?.name ?? ""] != nil }
        guard !entity.identity.isEmpty, isIdentified || explicit == nil else { return explicit }
        let values = Dictionary(
            entity.identity.compactMap { column in
                table.columns[column].attribute.flatMap { attribute in
                    (attributes[attribute.name] ?? attribute.defaultValue).map { (column, $0) }
                }
            }, uniquingKeysWith: { first, _ in first })
        let derived = try naming.name(of: entity, in: table, values: values)
        if let explicit, let derived, explicit != derived { throw StoreError.identityMismatch(explicit, entity: entity.name) }
        return derived
    }

    private func existingRow(_ entity: StoredEntity, name: RecordName?, cells: [Cell]) throws -> RowKey? {
        if let name, let row = try row(named: name) {
            guard row.table == entity.table, try self.entity(of: row)?.name == entity.name else {
                throw StoreError.nameInUse(name, entity: entity.name)
            }
            return row
        }
        return try conflictingRow(entity, cells: cells)
    }
}
