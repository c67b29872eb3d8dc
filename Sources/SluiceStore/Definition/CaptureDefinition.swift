// Change capture: triggers that append to a log in the transaction of the change, whoever makes it — SQL typed into the sqlite3 shell
// included. Format of the log (kept in every store with capture):
//
// _sluice_change   seq     position; grows, never reused (pruning keeps the newest row)
//                  txn     the transaction, a row of _sluice_transaction; NULL for a change made outside Sluice
//                  tbl     the table's number in _sluice_table
//                  row     the row's _pk
//                  kind    0 insert, 1 update, 2 delete
//                  origin  0 local, 1 pull, 2 import, 3 migration
//                  id      the record name, for deletes; a row that is there says its own
// _sluice_old_<n>  seq     one row for each update and delete of table n
//                  m0…     which columns changed: bit i of word i/62 is column i of the table
//                  c0…     the old value of each changed column; all of them for a delete
//                  entity  in a hierarchy, for deletes: the row's entity, which nothing else would tell
// _sluice_transaction  txn, at (milliseconds since 1970), origin, author
// _sluice_capture      one row: the transaction and origin that the triggers write; pull mode is this row saying 1
// _sluice_cursor       how far each registered reader of the log has come
//
// The log is keyed by integers alone: a trigger that upserts into a table keyed by random names costs three times the insert.
// Wide tables take several mask words: 62 bits each, so that every word stays a positive integer.

import SluiceSQLite
import SluiceSchema

/// Where a change comes from. Only `local` and `import` are sent.
package enum ChangeOrigin: Int64, Sendable, CaseIterable {
    case local = 0
    case pull = 1
    case `import` = 2
    case migration = 3
}

package enum ChangeKind: Int64, Sendable {
    case insert = 0
    case update = 1
    case delete = 2
}

/// The statements that capture the changes of one table.
struct CaptureDefinition {
    let layout: TableLayout
    let number: Int64

    static let bitsPerWord = 62

    static func wordCount(columns: Int) -> Int { max(1, (columns + bitsPerWord - 1) / bitsPerWord) }

    static let logStatements = [
        """
        CREATE TABLE _sluice_change (
            seq INTEGER PRIMARY KEY, txn INTEGER, tbl INTEGER NOT NULL, row INTEGER NOT NULL,
            kind INTEGER NOT NULL, origin INTEGER NOT NULL, id
        )
        """,
        "CREATE TABLE _sluice_transaction (txn INTEGER PRIMARY KEY, at INTEGER NOT NULL, origin INTEGER NOT NULL, author TEXT)",
        "CREATE TABLE _sluice_capture (one INTEGER PRIMARY KEY CHECK (one = 1), txn INTEGER, origin INTEGER NOT NULL)",
        "INSERT INTO _sluice_capture VALUES (1, NULL, 0)",
        "CREATE TABLE _sluice_cursor (consumer TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID",
    ]

    var statements: [String] { [oldTable()] + triggers }

    /// Statements that make the triggers.
    var triggers: [String] { [insertTrigger, updateTrigger, deleteTrigger, nameTrigger] }

    private var oldName: String { "_sluice_old_\(number)" }
    private var wordCount: Int { Self.wordCount(columns: layout.columns.count) }
    private var words: [String] { (0..<wordCount).map { "m\($0)" } }
    private var oldColumns: [String] { layout.columns.indices.map { "c\($0)" } }
    private var entityColumn: [String] { layout.isHierarchy ? ["entity"] : [] }

    /// The statement that makes the table of old values, under a name that may be another than its own: one that is to replace it is filled
    /// first.
    func oldTable(named name: String? = nil) -> String {
        let columns = words.map { "\($0) INTEGER NOT NULL" } + oldColumns + entityColumn.map { "\($0) TEXT" }
        return "CREATE TABLE \(name ?? oldName) (seq INTEGER PRIMARY KEY, \(columns.joined(separator: ", ")))"
    }

    private func append(_ kind: ChangeKind, row: String, id: String) -> String {
        """
        INSERT INTO _sluice_change(txn, tbl, row, kind, origin, id)
            SELECT txn, \(number), \(row)._pk, \(kind.rawValue), origin, \(id) FROM _sluice_capture;
        """
    }

    private func trigger(_ event: String, timing: String, condition: String = "", _ body: String) -> String {
        "CREATE TRIGGER \(SQLText.name("_sluice_\(number)_\(event)")) \(timing) ON \(layout.sql)\(condition) BEGIN\n\(body)\nEND"
    }

    private var insertTrigger: String {
        trigger("insert", timing: "AFTER INSERT", append(.insert, row: "NEW", id: "NULL"))
    }

    private var updateTrigger: String {
        guard !layout.columns.isEmpty else { return trigger("update", timing: "AFTER UPDATE OF _pk", append(.update, row: "NEW", id: "NULL")) }
        let changed = layout.columns.map { "(OLD.\($0.sql) IS NOT NEW.\($0.sql))" }
        let masks = (0..<wordCount).map { word in
            let range = word * Self.bitsPerWord..<min((word + 1) * Self.bitsPerWord, changed.count)
            return range.map { "(\(changed[$0]) << \($0 - range.lowerBound))" }.joined(separator: " | ")
        }
        let olds = layout.columns.map { "CASE WHEN OLD.\($0.sql) IS NOT NEW.\($0.sql) THEN OLD.\($0.sql) END" }
        let body = """
            \(append(.update, row: "NEW", id: "NULL"))
            INSERT INTO \(oldName)(seq, \((words + oldColumns).joined(separator: ", ")))
                VALUES (last_insert_rowid(), \((masks + olds).joined(separator: ", ")));
            """
        let columns = layout.columns.map(\.sql).joined(separator: ", ")
        return trigger(
            "update", timing: "AFTER UPDATE OF \(columns)", condition: " WHEN \(changed.joined(separator: " OR "))", body)
    }

    private var deleteTrigger: String {
        let masks = (0..<wordCount).map { word -> String in
            let bits = min(Self.bitsPerWord, layout.columns.count - word * Self.bitsPerWord)
            return "\((Int64(1) << Int64(max(bits, 0))) - 1)"
        }
        let olds = layout.columns.map { "OLD.\($0.sql)" } + entityColumn.map { _ in "OLD._entity" }
        return trigger(
            "delete", timing: "AFTER DELETE",
            """
            \(append(.delete, row: "OLD", id: "OLD._id"))
            INSERT INTO \(oldName)(seq, \((words + oldColumns + entityColumn).joined(separator: ", ")))
                VALUES (last_insert_rowid(), \((masks + olds).joined(separator: ", ")));
            """)
    }

    /// A record name is for life: another device knows the row by it.
    private var nameTrigger: String {
        trigger(
            "name", timing: "BEFORE UPDATE OF _id", condition: " WHEN OLD._id IS NOT NEW._id",
            "SELECT RAISE(ABORT, 'a record name cannot change: delete the row and insert another');")
    }
}
