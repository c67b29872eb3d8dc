// What the store keeps for sync, beside the rows and in their transactions. Format:
//
// _sluice_sync       key, value: `drained` (log position up to which the outbox has seen changes), `token`, `epoch`, `user`, `device`, …
// _sluice_record     what the service last said of a record: its change tag; the name's spelling on the wire where it differs from ours;
//                    merge metadata; fields this device does not know, kept for a full resend; `seen`: the full fetch that last met it
// _sluice_pending    one row per record with unsent changes: its table and key, the log positions of its first and last change, whether it
//                    was inserted (1 by a person, 2 by an import) or deleted here, the operation that carries it, whether the service's
//                    version must be looked up first (2: a lookup did not find it), when to try again, why it was set aside
// _sluice_field      which columns of a pending update changed, with the log positions of the first (its old value is the merge base)
//                    and the last change; both 0 where a value is sent again that nobody edited
// _sluice_operation  a frozen request: its id and its exact bytes, from before the first send until every member is settled
// _sluice_order      operations that must not arrive before another one: what they refer to is in that one
// _sluice_member     the records of an operation, each with the log position that was sent
// _sluice_owed       unsent edits of fields that this device's schema no longer has, in wire form, with the log position of the last one
// _sluice_departed   pending records whose type it no longer has (their table is 0), and whether a stage's code deleted them
// _sluice_inbox      records of the feed that could not be applied yet
// _sluice_conflict   what merges decided, for people: the newest 1,000
// _sluice_tombstone  records known to be deleted, so that a service that lost its memory can be told again

import SluiceSQLite

enum SyncDefinition {
    static let statements = [
        "CREATE TABLE _sluice_sync (key TEXT PRIMARY KEY, value) WITHOUT ROWID",
        """
        CREATE TABLE _sluice_record (
            id PRIMARY KEY, tbl INTEGER, tag TEXT, wire_name TEXT, meta BLOB, extra BLOB, seen INTEGER NOT NULL DEFAULT 0
        ) WITHOUT ROWID
        """,
        """
        CREATE TABLE _sluice_pending (
            number INTEGER PRIMARY KEY, id NOT NULL UNIQUE, tbl INTEGER NOT NULL, row INTEGER NOT NULL,
            first INTEGER NOT NULL, last INTEGER NOT NULL, inserted INTEGER NOT NULL DEFAULT 0, deleted INTEGER NOT NULL DEFAULT 0,
            operation INTEGER, reconcile INTEGER NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0,
            not_before INTEGER NOT NULL DEFAULT 0, failure TEXT
        )
        """,
        """
        CREATE INDEX _sluice_pending_order ON _sluice_pending(deleted, tbl, row)
            WHERE operation IS NULL AND failure IS NULL AND reconcile = 0
        """,
        "CREATE TABLE _sluice_field (id, col INTEGER, first INTEGER NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (id, col)) WITHOUT ROWID",
        """
        CREATE TABLE _sluice_operation (
            number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, body BLOB NOT NULL, at INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0, not_before INTEGER NOT NULL DEFAULT 0
        )
        """,
        """
        CREATE TABLE _sluice_member (
            operation INTEGER NOT NULL, id NOT NULL, last INTEGER NOT NULL, kind INTEGER NOT NULL, meta BLOB, PRIMARY KEY (operation, id)
        ) WITHOUT ROWID
        """,
        "CREATE TABLE _sluice_inbox (id PRIMARY KEY, type TEXT, body BLOB NOT NULL, reason TEXT NOT NULL, parked INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID",
        "CREATE TABLE _sluice_tombstone (id PRIMARY KEY, tbl INTEGER, at INTEGER NOT NULL) WITHOUT ROWID",
    ] + laterStatements

    /// Added to stores that were made before there were any of these.
    static let laterStatements = [
        """
        CREATE TABLE IF NOT EXISTS _sluice_owed (
            id REFERENCES _sluice_pending(id) ON DELETE CASCADE, field TEXT NOT NULL, body BLOB NOT NULL, reference INTEGER NOT NULL,
            stamp INTEGER NOT NULL, base INTEGER, last INTEGER NOT NULL, PRIMARY KEY (id, field)
        ) WITHOUT ROWID
        """,
        """
        CREATE TABLE IF NOT EXISTS _sluice_departed (
            id PRIMARY KEY REFERENCES _sluice_pending(id) ON DELETE CASCADE, type TEXT NOT NULL, by_stage INTEGER NOT NULL DEFAULT 0
        ) WITHOUT ROWID
        """,
        """
        CREATE TABLE IF NOT EXISTS _sluice_order (
            operation INTEGER PRIMARY KEY REFERENCES _sluice_operation(number) ON DELETE CASCADE, after INTEGER NOT NULL
        )
        """,
        """
        CREATE TABLE IF NOT EXISTS _sluice_conflict (
            number INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, id NOT NULL, entity TEXT NOT NULL, kind TEXT NOT NULL,
            outcome TEXT NOT NULL, property TEXT, heir, here TEXT, there TEXT
        )
        """,
    ]
}
