// Relationships that do not lie in the edited row's own columns, and the order of to-many relationships.
//
// Places are whole numbers from 0 in the order that was given. Two devices that order at once may give one place twice; members of one place
// stand in the order of their record names, on every device alike.

package import SluiceSQLite
package import SluiceSchema

extension Store {
    func relate(_ row: RowKey, entity: StoredEntity, edit: RowEdit) throws {
        for (name, target) in edit.references.sorted(by: { $0.key < $1.key }) where !entity.isJoin {
            guard let link = entity.link(named: name), case .inverse = link.place else { continue }
            try setMembers(target.map { [$0] } ?? [], of: row, link: link, entity: entity)
        }
        for (name, members) in edit.collections.sorted(by: { $0.key < $1.key }) {
            guard let link = entity.link(named: name), link.relationship.isToMany else {
                throw StoreError.unknownProperty(name, entity: entity.name)
            }
            try setMembers(members, of: row, link: link, entity: entity)
        }
        try keepOneToOne(row, entity: entity, references: edit.references)
    }

    /// A destination of a one-to-one relationship belongs to one row: the newest claim.
    private func keepOneToOne(_ row: RowKey, entity: StoredEntity, references: [String: RecordName?]) throws {
        for (name, target) in references.sorted(by: { $0.key < $1.key }) where target != nil && !entity.isJoin {
            guard let link = entity.link(named: name), case .own(let column) = link.place,
                let inverse = layout.schema.inverse(of: link.relationship), !inverse.isToMany
            else { continue }
            let table = layout.tables[row.table]
            try connection.run(
                """
                UPDATE \(table.sql) SET \(table.columns[column].sql) = NULL WHERE _pk <> ?1
                AND \(table.columns[column].sql) = (SELECT \(table.columns[column].sql) FROM \(table.sql) WHERE _pk = ?1)
                """, [.integer(row.key)])
        }
    }

    private func setMembers(_ names: [RecordName], of row: RowKey, link: StoredEntity.Link, entity: StoredEntity) throws {
        try setMembers(names.map { try destination($0, of: link.relationship, entity: entity) }, of: row, link: link)
    }

    /// Relates `row` to exactly these rows, in this order where the relationship keeps one.
    package func setMembers(_ wanted: [RowKey], of row: RowKey, link: StoredEntity.Link) throws {
        let current = try related(to: row, over: link)
        let (wantedSet, currentSet) = (Set(wanted), Set(current))
        let added = wanted.filter { !currentSet.contains($0) }
        let removed = current.filter { !wantedSet.contains($0) }
        switch link.place {
        case .own: break
        case .inverse(let table, let column):
            let members = layout.tables[table]
            let position = link.positionColumn.map { ", \(members.columns[$0].sql) = NULL" } ?? ""
            let sql = "UPDATE \(members.sql) SET \(members.columns[column].sql) = ?\(position) WHERE _pk = ?"
            for member in removed { try connection.run(sql, [.null, .integer(member.key)]) }
            for member in added { try connection.run(sql, [.integer(row.key), .integer(member.key)]) }
        case .join(let table, let own, let other):
            let pairs = layout.tables[table]
            for member in removed {
                try connection.run(
                    "DELETE FROM \(pairs.sql) WHERE \(pairs.columns[own].sql) = ? AND \(pairs.columns[other].sql) = ?",
                    [.integer(row.key), .integer(member.key)])
            }
            for member in added { try insertPair(table: table, own: own, other: other, row: row, member: member) }
        }
        try setPlaces(of: wanted, in: row, link: link)
    }

    private func insertPair(table: Int, own: Int, other: Int, row: RowKey, member: RowKey) throws {
        guard let join = layout.entities[layout.tables[table].name], let ownName = try name(of: row), let otherName = try name(of: member)
        else { return }
        let (source, target) = own == 0 ? (ownName, otherName) : (otherName, ownName)
        _ = try insertRow(
            join, name: naming.pairName(type: join.wireName, source: source, target: target),
            cells: [Cell(column: own, value: .integer(row.key)), Cell(column: other, value: .integer(member.key))])
    }

    // MARK: Order

    private func setPlaces(of members: [RowKey], in row: RowKey, link: StoredEntity.Link) throws {
        guard let column = link.positionColumn else { return }
        for (place, member) in members.enumerated() {
            switch link.place {
            case .own: return
            case .inverse(let table, _):
                let position = layout.tables[table].columns[column].sql
                try connection.run(
                    "UPDATE \(layout.tables[table].sql) SET \(position) = ?1 WHERE _pk = ?2 AND \(position) IS NOT ?1",
                    [SQLiteValue(place), .integer(member.key)])
            case .join(let table, let own, let other):
                let pairs = layout.tables[table]
                let position = pairs.columns[column].sql
                try connection.run(
                    """
                    UPDATE \(pairs.sql) SET \(position) = ?1
                        WHERE \(pairs.columns[own].sql) = ?2 AND \(pairs.columns[other].sql) = ?3 AND \(position) IS NOT ?1
                    """, [SQLiteValue(place), .integer(row.key), .integer(member.key)])
            }
        }
    }

    /// An ordered to-many relationship, as the member's row sees it.
    struct OrderedList {
        /// The member's column that refers to the owner, and the one with its place.
        let reference: Int
        let position: Int
    }

    /// The ordered lists that an edit puts a row into by setting its to-one side: it comes last there.
    func orderedListsJoined(by row: RowKey?, entity: StoredEntity, edit: RowEdit) throws -> [OrderedList] {
        try edit.references.sorted { $0.key < $1.key }.compactMap { name, target in
            guard let target, let link = entity.link(named: name), case .own(let column) = link.place,
                let inverse = layout.schema.inverse(of: link.relationship), inverse.isToMany, inverse.isOrdered,
                let position = layout.entities[link.relationship.destination]?.link(named: inverse.name)?.positionColumn
            else { return nil }
            let owner = try destination(target, of: link.relationship, entity: entity)
            if let row, try related(to: row, over: link).first == owner { return nil }
            return OrderedList(reference: column, position: position)
        }
    }

    func append(_ row: RowKey, to list: OrderedList) throws {
        let table = layout.tables[row.table]
        let (reference, position) = (table.columns[list.reference].sql, table.columns[list.position].sql)
        try connection.run(
            """
            UPDATE \(table.sql) SET \(position) = (
                SELECT coalesce(max(m.\(position)), -1) + 1 FROM \(table.sql) m WHERE m.\(reference) = \(table.sql).\(reference) AND m._pk <> ?1
            ) WHERE _pk = ?1
            """, [.integer(row.key)])
    }
}
