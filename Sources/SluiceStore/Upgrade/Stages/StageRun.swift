// A stage's edits over the rows of one version: one statement each, in the order in which they are written. Deletions go through the
// store's delete rules; NFC forms, large values and the log follow as they do for every other writer.

import SluiceSQLite
package import SluiceSchema

/// Runs the edits of one half of a stage on a store inside a migration.
package struct StageRun {
    private let store: Store
    private let edits: [StageEdit]
    private let half: StageFault.Half
    private let rows: EntityRows

    /// - Throws: `StageEditFailure` where an edit does not fit the store's schema; nothing was changed.
    package init(_ edits: [StageEdit], _ half: StageFault.Half, on store: Store) throws {
        self.store = store
        self.edits = edits
        self.half = half
        rows = EntityRows(layout: store.layout)
        let faults = try StageCheck(store.layout.schema).faults(of: edits, half)
        guard let first = faults.first else { return }
        let place = edits.indices.first { index in faults.contains { $0.place.edit == index } } ?? 0
        throw failure(place, first.place.property, .faults(faults))
    }

    /// - Returns: how many rows each edit changed, or deleted with what went along.
    /// - Throws: `StageEditFailure`; `SQLiteError` where the disk is full or the migration was stopped. The migration is then rolled back.
    @discardableResult
    package func run() throws -> [Int] {
        guard !edits.isEmpty else { return [] }
        try PureDates.register(on: store.connection)
        try MigrationFunctions.registerShadow(on: store.connection)
        return try store.write(.migration) { try edits.indices.map(perform) }
    }

    private func perform(_ index: Int) throws -> Int {
        let edit = edits[index]
        guard let entity = store.layout.entities[edit.entity] else { return 0 }
        switch edit.action {
        case .delete: return try delete(StageStatement(entity: entity, rows: rows, assignments: [], condition: edit.condition), index)
        case .set(let assignments):
            let placed = assignments.compactMap { assignment in
                zip(entity.columns, entity.propertyNames).first { $0.1 == assignment.property }.map { ($0.0, assignment.expression) }
            }
            return try update(StageStatement(entity: entity, rows: rows, assignments: placed, condition: edit.condition), index)
        }
    }

    // MARK: Deleting

    private func delete(_ statement: StageStatement, _ index: Int) throws -> Int {
        do {
            let keys = try store.connection.rows(statement.keys) { RowKey(table: statement.entity.table, key: $0.integer(0)) }
            return try store.deleteRows(keys).count
        } catch let error as StoreError {
            throw failure(index, nil, .denied(error))
        } catch let error as SQLiteError {
            throw try translated(error, index, nil)
        }
    }

    // MARK: Setting

    private func update(_ statement: StageStatement, _ index: Int) throws -> Int {
        let columns = statement.assignments.map { place in
            let column = store.layout.table(of: statement.entity).columns[place.column]
            return (column, isRequired(column, place.column, statement.entity))
        }
        let values = StageValues(columns, writer: store.externalWriter)
        try values.register(on: store.connection)
        let count: Int
        do {
            var changed = 0
            try store.connection.execute(statement.newTable)
            try store.connection.run(statement.filling)
            try store.namingConflicts(of: statement.entity) { changed = try store.updateMany(statement.update) }
            try store.connection.execute("DROP TABLE \(StageStatement.newRows)")
            count = changed
        } catch StoreError.uniqueConflict(_, let properties) {
            throw failure(index, properties.first, .duplicates(properties: properties))
        } catch let error as SQLiteError {
            throw try translated(error, index, statement)
        }
        try refuse(values.misfits, statement, index)
        try refuseLostReferences(statement, index)
        return count
    }

    private func isRequired(_ column: TableLayout.Column, _ place: Int, _ entity: StoredEntity) -> Bool {
        column.attribute.map { !$0.isOptional } ?? entity.requiresReference(inColumn: place)
    }

    private func name(of column: Int, _ entity: StoredEntity) -> String {
        zip(entity.columns, entity.propertyNames).first { $0.0 == column }?.1 ?? ""
    }

    private func refuse(_ misfits: [StageValues.Misfits], _ statement: StageStatement, _ index: Int) throws {
        for (found, place) in zip(misfits, statement.assignments) {
            let property = name(of: place.column, statement.entity)
            let type = store.layout.table(of: statement.entity).columns[place.column].attribute?.type.rawValue ?? "_pk of a row"
            if found.wrong > 0 { throw failure(index, property, .wrongValues(type: type, rows: found.wrong)) }
            if found.missing > 0 { throw failure(index, property, .missingValues(rows: found.missing)) }
        }
    }

    private func refuseLostReferences(_ statement: StageStatement, _ index: Int) throws {
        for place in statement.assignments {
            let property = name(of: place.column, statement.entity)
            guard let link = statement.entity.link(named: property), let destination = store.layout.entities[link.relationship.destination]
            else { continue }
            let count = Int(try store.connection.integer(statement.lostReferences(column: place.column, to: destination)))
            if count > 0 { throw failure(index, property, .lostReferences(destination: destination.name, rows: count)) }
        }
    }

    // MARK: Failures

    private func failure(_ index: Int, _ property: String?, _ reason: StageEditFailure.Reason) -> StageEditFailure {
        let entity = edits.indices.contains(index) ? edits[index].entity : ""
        return StageEditFailure(
            version: store.layout.schema.version, half: half, edit: index + 1, entity: entity, property: property, reason: reason)
    }

    /// Whose fault it is that a statement failed. What the disk did, or somebody who stopped it, is not the edit's.
    private func translated(_ error: SQLiteError, _ index: Int, _ statement: StageStatement?) throws -> any Error {
        switch error.code.primary {
        case .error, .constraint, .tooBig, .mismatch: break
        default: return error
        }
        var property: String?
        // The statement is undone, so that each expression can be tried for itself.
        for place in statement?.assignments ?? [] where property == nil {
            do { _ = try store.connection.integer(statement?.trial(place.expression) ?? "") } catch {
                property = statement.map { name(of: place.column, $0.entity) }
            }
        }
        return failure(index, property, .refused(error.message))
    }
}

extension StageFault.Place {
    /// The edit it is in, from 0.
    package var edit: Int? {
        switch self {
        case .entity(_, let index), .condition(_, let index), .property(_, let index, _), .expression(_, let index, _): index
        case .discarded, .stage: nil
        }
    }

    package var property: String? {
        switch self {
        case .property(_, _, let name), .expression(_, _, let name): name
        case .entity, .condition, .discarded, .stage: nil
        }
    }
}
