import Foundation
import SluiceSQLite
import SluiceSchema
import SluiceStore

/// Where each legacy row went. Lies in a temporary database of its own, so a large import does not fill the memory, and is gone with it.
///
///     row       (root, pk) of the legacy file → (tbl, key) and record name in the store; fresh: inserted by this import
///     pending   references whose target had no row yet when theirs was inserted
final class RowMap {
    struct Place {
        let row: RowKey
        let name: RecordName
        let isFresh: Bool
    }

    /// A reference to set once every row is there.
    struct Pending {
        enum Kind: Int64 {
            /// The row's own column.
            case own = 0
            /// The target's column, of a one-to-one that the other side holds.
            case inverse = 1
        }

        let kind: Kind
        let row: RowKey
        let entity: String
        let relationship: String
        let target: LegacyReference
    }

    private let connection: Connection
    /// By entity, the number of its hierarchy: row numbers are unique within one.
    private let roots: [String: Int64]

    init(_ schema: Schema) throws {
        // An empty path is a private database in a temporary file (https://www.sqlite.org/inmemorydb.html, section 3).
        connection = try Connection(path: "", mode: .create)
        let names = schema.roots.map(\.name)
        roots = Dictionary(
            schema.entities.map { entity in (entity.name, Int64(names.firstIndex(of: schema.root(of: entity).name) ?? 0)) }
        ) { first, _ in first }
        try connection.execute(
            """
            PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
            CREATE TABLE row(root INTEGER, pk INTEGER, tbl INTEGER, key INTEGER, name, fresh INTEGER, PRIMARY KEY (root, pk)) WITHOUT ROWID;
            CREATE TABLE pending(
                number INTEGER PRIMARY KEY, kind INTEGER, tbl INTEGER, key INTEGER, entity TEXT, relationship TEXT, target TEXT,
                pk INTEGER);
            BEGIN;
            """)
    }

    func put(_ row: LegacyRow, at key: RowKey, isFresh: Bool) throws {
        try connection.run(
            "INSERT INTO row VALUES (?, ?, ?, ?, ?, ?)",
            [
                .integer(roots[row.entity] ?? 0), .integer(row.primaryKey), SQLiteValue(key.table), .integer(key.key),
                row.recordName.stored,
                .integer(isFresh ? 1 : 0),
            ])
    }

    /// Nil where the row was not imported.
    func place(of reference: LegacyReference) throws -> Place? { try place(entity: reference.entity, primaryKey: reference.primaryKey) }

    func place(entity: String, primaryKey: Int64) throws -> Place? {
        try connection.firstRow(
            "SELECT tbl, key, name, fresh FROM row WHERE root = ? AND pk = ?", [.integer(roots[entity] ?? 0), .integer(primaryKey)]
        ) { statement in
            RecordName(stored: statement.value(2)).map {
                Place(
                    row: RowKey(table: Int(statement.integer(0)), key: statement.integer(1)), name: $0, isFresh: statement.integer(3) == 1)
            }
        } ?? nil
    }

    func postpone(_ pending: Pending) throws {
        try connection.run(
            "INSERT INTO pending(kind, tbl, key, entity, relationship, target, pk) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                .integer(pending.kind.rawValue), SQLiteValue(pending.row.table), .integer(pending.row.key), .text(pending.entity),
                .text(pending.relationship), .text(pending.target.entity), .integer(pending.target.primaryKey),
            ])
    }

    func forEachPendingBatch(_ count: Int, _ body: ([Pending]) throws -> Void) throws {
        var last: Int64 = 0
        while true {
            var batch: [Pending] = []
            try connection.forEachRow(
                """
                SELECT number, kind, tbl, key, entity, relationship, target, pk FROM pending WHERE number > ? ORDER BY number LIMIT ?
                """, [.integer(last), SQLiteValue(count)]
            ) { statement in
                last = statement.integer(0)
                batch.append(
                    Pending(
                        kind: statement.integer(1) == 0 ? .own : .inverse,
                        row: RowKey(table: Int(statement.integer(2)), key: statement.integer(3)), entity: statement.text(4),
                        relationship: statement.text(5),
                        target: LegacyReference(entity: statement.text(6), primaryKey: statement.integer(7), position: nil)))
            }
            guard !batch.isEmpty else { return }
            try body(batch)
        }
    }
}
