// Which operations must not overtake which. Several are on their way together, and the service keeps no order among them: a child that arrives
// before its parent is seen without it by every device that looks in between.

import SluiceSQLite
import SluiceSchema

/// Finds what a newly frozen operation has to follow.
struct OperationOrder {
    let store: Store
    let operation: Int64

    private var connection: Connection { store.connection }
    private var layout: StoredSchema { store.layout }

    /// The latest operation before this one that it has to follow; nil where there is none. Asked after its members were written down.
    func predecessor(of changes: [PendingChange]) throws -> Int64? {
        guard try connection.integer("SELECT count(*) FROM _sluice_operation WHERE number < ?", [.integer(operation)]) > 0 else { return nil }
        return try layout.tables.indices.flatMap { table in
            let rows = changes.lazy.filter { $0.row?.table == table }
            return [
                rows.contains { !$0.isDeleted } ? try laterOfTargets(of: table) : nil,
                rows.contains(where: \.isDeleted) ? try laterOfReferrers(to: table) : nil,
            ]
        }.compactMap(\.self).max()
    }

    /// A record that refers to a new one follows it.
    private func laterOfTargets(of table: Int) throws -> Int64? {
        let columns = layout.tables[table].columns
        return try columns.indices.compactMap { column -> Int64? in
            guard let target = columns[column].referencedTable else { return nil }
            return try connection.value(
                """
                SELECT max(q.operation) FROM _sluice_member m JOIN _sluice_pending p ON p.id = m.id
                    JOIN \(layout.tables[table].sql) t ON t._pk = p.row JOIN \(SQLText.name(target)) r ON r._pk = t.\(columns[column].sql)
                    JOIN _sluice_pending q ON q.id = r._id
                    WHERE m.operation = ?1 AND p.tbl = ?2 AND p.deleted = 0 AND q.operation < ?1 AND q.inserted > 0 AND q.deleted = 0
                """, [.integer(operation), .integer(store.tableNumbers[table])])?.integer
        }.max()
    }

    /// A deletion follows what was said of the rows that may have referred to the record: their end, or whom they belong to now.
    private func laterOfReferrers(to table: Int) throws -> Int64? {
        let referrers = layout.tables.indices.filter { other in
            layout.tables[other].columns.contains { $0.referencedTable == layout.tables[table].name }
        }
        guard !referrers.isEmpty else { return nil }
        return try connection.value(
            """
            SELECT max(m.operation) FROM _sluice_member m JOIN _sluice_pending q ON q.id = m.id
                WHERE m.operation < ? AND q.tbl IN (\(SQLText.placeholders(referrers.count)))
            """, [.integer(operation)] + referrers.map { .integer(store.tableNumbers[$0]) })?.integer
    }
}
