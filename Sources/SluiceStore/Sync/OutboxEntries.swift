// The outbox as a person looks at it: what waits, since when, and why it has not gone.

import SluiceSQLite
package import SluiceSchema

/// One record with unsent changes.
package struct OutboxEntry: Hashable, Sendable {
    package enum Change: String, Sendable {
        case insert, update, delete
    }

    package enum State: Hashable, Sendable {
        /// It goes with the next operation.
        case waiting
        /// The frozen operation of that id carries it.
        case inFlight(operation: String)
        /// The service's version is looked up first.
        case lookUp
        /// The service refused it for now; in milliseconds since 1970.
        case later(Int64)
        /// The service refused it for good.
        case setAside(reason: String)
    }

    /// Its place in the outbox; entries are listed in this order.
    package let number: Int64
    package let name: RecordName
    /// The entity, or the record type where this device's schema no longer has it.
    package let entity: String
    package let change: Change
    package let state: State
    /// Properties with unsent edits, by name; none for a record that is sent as a whole, or deleted.
    package let properties: [String]
    /// When the first unsent change was made, in milliseconds since 1970; nil where the log no longer tells.
    package let since: Int64?
    /// How often it was sent.
    package let attempts: Int
}

extension Store {
    /// Entries behind a place in the outbox.
    /// - Parameter setAside: only those that were set aside.
    package func outboxEntries(after number: Int64 = 0, limit: Int, setAside: Bool = false) throws -> [OutboxEntry] {
        try drainChanges()
        let condition = setAside ? " AND p.failure IS NOT NULL" : ""
        return try outboxEntries("p.number > ?1\(condition) ORDER BY p.number LIMIT ?2", [.integer(number), SQLiteValue(limit)])
    }

    package func outboxEntry(of name: RecordName) throws -> OutboxEntry? {
        try drainChanges()
        return try outboxEntries("p.id = ?1", [name.stored]).first
    }

    private struct Found {
        let number: Int64
        let name: RecordName
        let table: Int64
        let row: Int64
        let isInserted: Bool
        let isDeleted: Bool
        let state: OutboxEntry.State
        let first: Int64
        let attempts: Int
        let departed: String?
    }

    private func outboxEntries(_ condition: String, _ values: [SQLiteValue]) throws -> [OutboxEntry] {
        let found: [Found] = try connection.rows(
            """
            SELECT p.number, p.id, p.tbl, p.row, p.inserted > 0, p.deleted, p.failure, o.id, p.reconcile > 0, p.not_before, p.first, p.attempts,
                d.type
                FROM _sluice_pending p LEFT JOIN _sluice_operation o ON o.number = p.operation
                    LEFT JOIN _sluice_departed d ON p.tbl = 0 AND d.id = p.id
                WHERE \(condition)
            """, values
        ) { statement in
            guard let name = RecordName(stored: statement.value(1)) else { return nil }
            let state: OutboxEntry.State =
                if let reason = statement.value(6).text { .setAside(reason: reason) }
                else if let operation = statement.value(7).text { .inFlight(operation: operation) }
                else if statement.integer(8) == 1 { .lookUp }
                else if (nowMilliseconds + 1...nowMilliseconds + Self.longestDelay).contains(statement.integer(9)) { .later(statement.integer(9)) } else { .waiting }
            return Found(
                number: statement.integer(0), name: name, table: statement.integer(2), row: statement.integer(3),
                isInserted: statement.integer(4) == 1, isDeleted: statement.integer(5) == 1, state: state, first: statement.integer(10),
                attempts: Int(statement.integer(11)), departed: statement.value(12).text)
        }.compactMap { $0 }
        return try found.compactMap(entry)
    }

    private func entry(_ found: Found) throws -> OutboxEntry? {
        let table = tableNumbers.firstIndex(of: found.table)
        let row = table.map { RowKey(table: $0, key: found.row) }
        let entity = try found.departed ?? row.flatMap { try self.entity(of: $0)?.name } ?? table.map { layout.tables[$0].name }
        guard let entity else { return nil }
        let since = try stamp(at: found.first)
        return OutboxEntry(
            number: found.number, name: found.name, entity: entity,
            change: found.isDeleted ? .delete : found.isInserted ? .insert : .update, state: found.state,
            properties: found.isDeleted || found.isInserted ? [] : try editedProperties(of: found.name, entity: layout.entities[entity]),
            since: since > 0 ? since : nil, attempts: found.attempts)
    }

    private func editedProperties(of name: RecordName, entity: StoredEntity?) throws -> [String] {
        let columns = Set(try pendingFields(of: name).keys)
        let present = entity.map { entity in zip(entity.columns, entity.propertyNames).filter { columns.contains($0.0) }.map(\.1) } ?? []
        return (present + (try owedEdits(of: name).filter { $0.last > 0 }.map(\.field))).sorted()
    }

    /// Forgets what was edited of a record, and has the service's version looked up in its place.
    package func yieldPending(_ name: RecordName) throws {
        try connection.run("DELETE FROM _sluice_field WHERE id = ?", [name.stored])
        try connection.run("DELETE FROM _sluice_owed WHERE id = ?", [name.stored])
        try connection.run(
            "UPDATE _sluice_pending SET inserted = 0, reconcile = 1, not_before = 0, failure = NULL WHERE id = ?", [name.stored])
    }

    /// The same for one column.
    package func yieldField(_ column: Int, of name: RecordName) throws {
        try connection.run("DELETE FROM _sluice_field WHERE id = ? AND col = ?", [name.stored, SQLiteValue(column)])
        try connection.run("UPDATE _sluice_pending SET reconcile = 1, not_before = 0 WHERE id = ? AND operation IS NULL", [name.stored])
    }
}
