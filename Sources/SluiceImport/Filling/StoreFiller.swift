// Puts the rows of a legacy file into a store, with origin `import`.
//
// Entities are taken in the order of their references, so that most references find their row; the rest wait in the RowMap and are set at
// the end. A row that is there under its name is never written: what a person did since the first import stays. A row that was deleted here
// stays deleted.

import Foundation
import SluiceSQLite
import SluiceSchema
import SluiceStore

/// One run over one file into one store.
final class StoreFiller {
    let file: any LegacyFile
    let store: Store
    let map: RowMap
    /// Nothing was there before this run: no row needs to be looked for.
    private let isEmpty: Bool
    var outcome = ImportOutcome()

    private static let pendingBatchCount = 500

    init(_ file: any LegacyFile, into store: Store, isEmpty: Bool) throws {
        self.file = file
        self.store = store
        self.isEmpty = isEmpty
        map = try RowMap(file.schema)
    }

    /// - Parameter step: called after each transaction with the number of rows so far.
    func fill(after step: (Int) throws -> Void) throws -> ImportOutcome {
        var rowCount = 0
        for entity in referenceOrder() {
            guard let target = store.layout.entities[entity], !target.isAbstract else {
                outcome.unmappedRows += file.report.rowCount(of: entity) ?? 0
                continue
            }
            try file.forEachBatch(of: entity) { rows in
                try store.write(.import) { for row in rows { try place(row, target) } }
                rowCount += rows.count
                try step(rowCount)
            }
        }
        try map.forEachPendingBatch(Self.pendingBatchCount) { batch in
            try store.write(.import) { for pending in batch { try settle(pending) } }
            try step(rowCount)
        }
        try file.forEachLinkBatch { links in
            try store.write(.import) { for link in links { try place(link) } }
            try step(rowCount)
        }
        return outcome
    }

    // MARK: Rows

    private func place(_ row: LegacyRow, _ entity: StoredEntity) throws {
        if !isEmpty, try isKnown(row, entity) { return }
        var cells = attributeCells(row, entity)
        var waiting: [RowMap.Pending.Kind: [(String, LegacyReference)]] = [:]
        for link in entity.links where !link.relationship.isToMany {
            guard let target = row.toOne[link.relationship.name] ?? nil else { continue }
            if let position = target.position { keep(position, of: link, in: &cells) }
            guard case .own(let column) = link.place else {
                waiting[.inverse, default: []].append((link.relationship.name, target))
                continue
            }
            if let place = try map.place(of: target) {
                cells.append(Cell(column: column, value: .integer(place.row.key)))
            } else {
                waiting[.own, default: []].append((link.relationship.name, target))
            }
        }
        for (name, target) in row.toOne where target != nil && entity.link(named: name) == nil {
            outcome.unmappedValues["\(row.entity).\(name)", default: 0] += 1
        }
        let key: RowKey
        do {
            key = try store.insertRow(entity, name: row.recordName, cells: cells)
        } catch StoreError.uniqueConflict(_, let properties) {
            outcome.conflictingRows += 1
            outcome.note(row.entity, row.primaryKey, "another record has the same \(properties.joined(separator: ", "))")
            return
        }
        outcome.insertedRows += 1
        outcome.inserted[row.entity, default: 0] += 1
        try map.put(row, at: key, isFresh: true)
        for (kind, references) in waiting {
            for (relationship, target) in references {
                try map.postpone(.init(kind: kind, row: key, entity: row.entity, relationship: relationship, target: target))
            }
        }
    }

    /// The row's place in the ordered relationship that `link` is the other side of.
    private func keep(_ position: Int64, of link: StoredEntity.Link, in cells: inout [Cell]) {
        let list = link.relationship.inverse.flatMap { store.layout.entities[link.relationship.destination]?.link(named: $0) }
        if let column = list?.positionColumn {
            cells.append(Cell(column: column, value: .integer(position)))
        } else {
            outcome.droppedPositions += 1
        }
    }

    /// Whether the row is, or was, in the store; then nothing is written.
    private func isKnown(_ row: LegacyRow, _ entity: StoredEntity) throws -> Bool {
        if let key = try store.row(named: row.recordName) {
            // A value whose file is lost since is not the one in the file; the row is not written for it.
            guard let held = try store.row(at: key, onFault: { _ in }), held.entity == row.entity else {
                outcome.conflictingRows += 1
                outcome.note(row.entity, row.primaryKey, "its record name belongs to another entity")
                return true
            }
            let isSame = row.values.allSatisfy { held.attributes[$0.key] == nil || held.attributes[$0.key] == $0.value }
            if isSame { outcome.unchangedRows += 1 } else { outcome.editedRows += 1 }
            try map.put(row, at: key, isFresh: false)
            return true
        }
        guard store.capturesChanges, try store.deletion(of: row.recordName) != nil else { return false }
        outcome.deletedRows += 1
        return true
    }

    private func attributeCells(_ row: LegacyRow, _ entity: StoredEntity) -> [Cell] {
        let columns = store.layout.table(of: entity).columns
        var cells: [Cell] = []
        var placed: Set<String> = []
        for column in entity.columns {
            guard let attribute = columns[column].attribute, let value = row.values[attribute.name], value.fits(attribute.type) else {
                continue
            }
            placed.insert(attribute.name)
            cells.append(Cell(column: column, value: value.stored))
        }
        for (name, value) in row.values where !value.isNull && !placed.contains(name) {
            outcome.unmappedValues["\(row.entity).\(name)", default: 0] += 1
        }
        return cells
    }

    // MARK: References and links

    private func settle(_ pending: RowMap.Pending) throws {
        guard let entity = store.layout.entities[pending.entity], let link = entity.link(named: pending.relationship),
            let target = try map.place(of: pending.target)
        else {
            outcome.brokenReferences += 1
            return
        }
        switch link.place {
        case .own(let column):
            try store.updateRow(pending.row, of: entity, cells: [Cell(column: column, value: .integer(target.row.key))])
        case .inverse(_, let column): try settleInverse(pending, link, target, column)
        case .join: outcome.brokenReferences += 1
        }
    }

    /// The other side holds a one-to-one. Core Data keeps it on both; where the holder's is empty, this side's is taken.
    private func settleInverse(_ pending: RowMap.Pending, _ link: StoredEntity.Link, _ target: RowMap.Place, _ column: Int) throws {
        guard let holder = try store.entity(of: target.row), let held = try store.row(at: target.row, attributes: []),
            let inverse = link.relationship.inverse, let own = try store.name(of: pending.row)
        else { return }
        if let name = held.references[inverse] {
            if name != own { outcome.contradictedReferences += 1 }
        } else if target.isFresh {
            try store.updateRow(target.row, of: holder, cells: [Cell(column: column, value: .integer(pending.row.key))])
        }
    }

    private func place(_ link: LegacyLink) throws {
        guard let owner = try map.place(of: link.owner), let member = try map.place(of: link.member) else {
            outcome.brokenReferences += 1
            return
        }
        // Between two rows that were there before, a person may have taken the link away.
        guard owner.isFresh || member.isFresh else {
            outcome.unchangedLinks += 1
            return
        }
        guard let stored = store.layout.entities[link.owner.entity]?.link(named: link.relationship) else {
            outcome.unmappedValues["\(link.owner.entity).\(link.relationship)", default: 0] += 1
            return
        }
        switch stored.place {
        case .own: outcome.brokenReferences += 1
        case .inverse(_, let column):
            guard let entity = try store.entity(of: member.row) else { return }
            let place = placeCells([(link.member.position, stored.positionColumn)])
            try store.updateRow(member.row, of: entity, cells: [Cell(column: column, value: .integer(owner.row.key))] + place)
            outcome.insertedLinks += 1
        case .join(let table, let own, let other):
            let back = link.inverse.flatMap { store.layout.entities[link.member.entity]?.link(named: $0)?.positionColumn }
            let places = placeCells([(link.member.position, stored.positionColumn), (link.owner.position, back)])
            try insertPair(owner, member, table: table, own: own, other: other, places: places)
        }
    }

    /// Places of members, each with the column that keeps it.
    private func placeCells(_ places: [(position: Int64?, column: Int?)]) -> [Cell] {
        places.compactMap { position, column in
            guard let position else { return nil }
            if column == nil { outcome.droppedPositions += 1 }
            return column.map { Cell(column: $0, value: .integer(position)) }
        }
    }

    private func insertPair(
        _ owner: RowMap.Place, _ member: RowMap.Place, table: Int, own: Int, other: Int, places: [Cell]
    ) throws {
        guard let join = store.layout.entities[store.layout.tables[table].name] else { return }
        let (source, target) = own == 0 ? (owner, member) : (member, owner)
        do {
            _ = try store.insertRow(
                join, name: store.naming.pairName(type: join.wireName, source: source.name, target: target.name),
                cells: [
                    Cell(column: own, value: .integer(owner.row.key)), Cell(column: other, value: .integer(member.row.key)),
                ] + places)
            outcome.insertedLinks += 1
        } catch StoreError.uniqueConflict {
            outcome.unchangedLinks += 1
        }
    }

    // MARK: Order

    /// Entities whose rows others refer to come first. Within a cycle the file's order decides, and its references wait.
    private func referenceOrder() -> [String] {
        var order: [String] = []
        var seen: Set<String> = []
        func visit(_ name: String) {
            guard seen.insert(name).inserted, let entity = store.layout.entities[name] else { return }
            for link in entity.links {
                guard case .own = link.place, let destination = file.schema.entity(named: link.relationship.destination) else { continue }
                for member in file.schema.family(of: destination) { visit(member.name) }
            }
            order.append(name)
        }
        for entity in file.entities { visit(entity) }
        let withRows = Set(file.entities)
        return order.filter { withRows.contains($0) } + file.entities.filter { !seen.contains($0) || store.layout.entities[$0] == nil }
    }
}
