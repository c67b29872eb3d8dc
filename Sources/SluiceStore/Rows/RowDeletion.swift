// Delete rules. A deletion is worked out as a set first and carried out afterwards, so that cycles end, a rule that denies stops everything,
// and rows that go anyway deny nothing. Every row that goes is deleted by a statement of its own table: the log has each of them, and other
// devices are told of each (we publish cascades ourselves; the wire's references carry no action).

import SluiceSQLite
package import SluiceSchema

extension Store {
    /// Deletes the row and what its delete rules take along. Returns the deleted rows.
    /// - Throws: `StoreError.deletionDenied` where a rule forbids it; then nothing was deleted.
    @discardableResult
    package func deleteRows(_ rows: [RowKey]) throws -> [RowKey] {
        var closure = DeletionClosure(store: self)
        for row in rows { try closure.add(row) }
        try closure.checkDenials()
        try delete(closure)
        return closure.order
    }

    /// Deletes the row and what its delete rules take along, though a rule may forbid it: what it belonged to is gone elsewhere already.
    package func deleteOrphan(_ row: RowKey) throws {
        var closure = DeletionClosure(store: self)
        try closure.add(row)
        try delete(closure)
    }

    private func delete(_ closure: DeletionClosure) throws {
        try connection.joiningTransaction {
            for row in closure.order.reversed() {
                try connection.run("DELETE FROM \(layout.tables[row.table].sql) WHERE _pk = ?", [.integer(row.key)])
            }
        }
    }
}

extension Store {
    /// Deletes one row and nothing else: for deletions that come from the service, which lists every row that went.
    /// References to it become NULL.
    package func deleteRow(_ row: RowKey) throws {
        try connection.run("DELETE FROM \(layout.tables[row.table].sql) WHERE _pk = ?", [.integer(row.key)])
    }
}

private struct DeletionClosure {
    let store: Store
    private(set) var order: [RowKey] = []
    private var members: Set<RowKey> = []
    private var denials: [(row: RowKey, link: StoredEntity.Link, entity: StoredEntity)] = []

    init(store: Store) { self.store = store }

    mutating func add(_ row: RowKey) throws {
        var waiting = [row]
        while let row = waiting.popLast() {
            guard !members.contains(row), let entity = try store.entity(of: row) else { continue }
            members.insert(row)
            order.append(row)
            for link in entity.links { waiting += try follow(link, from: row, entity: entity) }
        }
    }

    /// The rows that go along over one relationship.
    private mutating func follow(_ link: StoredEntity.Link, from row: RowKey, entity: StoredEntity) throws -> [RowKey] {
        switch (link.deleteRule, link.place) {
        case (.cascade, .join(let table, let own, _)):
            return try pairs(of: row, table: table, own: own) + store.related(to: row, over: link)
        case (_, .join(let table, let own, _)):
            if link.deleteRule == .deny { denials.append((row, link, entity)) }
            return try pairs(of: row, table: table, own: own)
        case (.cascade, _): return try store.related(to: row, over: link)
        case (.deny, _):
            denials.append((row, link, entity))
            return []
        // The foreign key sets the other end to NULL, and the update trigger logs it.
        case (.nullify, _), (.noAction, _): return []
        }
    }

    private func pairs(of row: RowKey, table: Int, own: Int) throws -> [RowKey] {
        let layout = store.layout.tables[table]
        return try store.connection.rows("SELECT _pk FROM \(layout.sql) WHERE \(layout.columns[own].sql) = ?", [.integer(row.key)]) {
            RowKey(table: table, key: $0.integer(0))
        }
    }

    func checkDenials() throws {
        for (row, link, entity) in denials {
            guard try store.related(to: row, over: link).contains(where: { !members.contains($0) }) else { continue }
            throw StoreError.deletionDenied(
                entity: entity.name, relationship: link.relationship.name, name: try store.name(of: row) ?? .text("?"))
        }
    }
}

extension Store {
    /// The rows at the other end of a relationship; in their order where it is kept, else by key.
    package func related(to row: RowKey, over link: StoredEntity.Link) throws -> [RowKey] {
        let sql: String
        let destination: Int
        switch link.place {
        case .own(let column):
            let table = layout.tables[row.table]
            guard let name = table.columns[column].referencedTable, let target = layout.tableIndex(named: name) else { return [] }
            destination = target
            sql = "SELECT \(table.columns[column].sql) FROM \(table.sql) WHERE _pk = ?1 AND \(table.columns[column].sql) IS NOT NULL"
        case .inverse(let table, let column):
            destination = table
            let members = layout.tables[table]
            let order = link.positionColumn.map { "\(members.columns[$0].sql), _id" } ?? "_pk"
            sql = "SELECT _pk FROM \(members.sql) WHERE \(members.columns[column].sql) = ?1 ORDER BY \(order)"
        case .join(let table, let own, let other):
            let pairs = layout.tables[table]
            guard let name = pairs.columns[other].referencedTable, let target = layout.tableIndex(named: name) else { return [] }
            destination = target
            let order = link.positionColumn.map { "\(pairs.columns[$0].sql), _id" } ?? "_pk"
            sql = "SELECT \(pairs.columns[other].sql) FROM \(pairs.sql) WHERE \(pairs.columns[own].sql) = ?1 ORDER BY \(order)"
        }
        return try connection.rows(sql, [.integer(row.key)]) { RowKey(table: destination, key: $0.integer(0)) }
    }
}

/// A row whose column holds the key of another.
package struct Referrer {
    package let row: RowKey
    package let entity: StoredEntity
    package let column: Int

    /// Whether the row makes no sense without what it refers to.
    package var isRequired: Bool { entity.requiresReference(inColumn: column) }
}

extension Store {
    /// Every row that refers to `target`, over any column.
    package func referrers(to target: RowKey) throws -> [Referrer] {
        let name = layout.tables[target.table].name
        var referrers: [Referrer] = []
        for (index, table) in layout.tables.enumerated() {
            for (column, definition) in table.columns.enumerated() where definition.referencedTable == name {
                let keys = try connection.rows("SELECT _pk FROM \(table.sql) WHERE \(definition.sql) = ?", [.integer(target.key)]) {
                    $0.integer(0)
                }
                for key in keys {
                    let row = RowKey(table: index, key: key)
                    if let entity = try entity(of: row) { referrers.append(Referrer(row: row, entity: entity, column: column)) }
                }
            }
        }
        return referrers
    }
}
