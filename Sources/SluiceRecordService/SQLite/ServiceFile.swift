// The file of an embedded record service: `records.sqlite` in the service's data directory, in WAL mode.
//
//     service      one row: the version of this format, the epoch, drawn when the file is made and drawn anew by `restore`, and the key that
//                  signs what opens files
//     database     a user's private database: the operator's name for the person, and the record name
//     head         of each database: how far its feed has come, and the bytes that count against the quota
//     zone         deleted ones stay as the answer to `changes/database`; zone 1 of each database is `_defaultZone`; `former`: see FormerZones.swift
//     record       the latest state; tombstones have no fields; `fields` is canonical JSON that answers splice
//     commit_log   which nonce the commit drew that made the entries first…last of a zone's feed (zone 0: of the database's feed)
//     reference    the DELETE_SELF (1) and VALIDATE (2) references, by their target
//     asset        uploaded files, whose bytes are in a folder beside this one; `uses` counts the rows of `asset_use`, and nobody refers to one
//                  without since `touched`
//     asset_use    which record refers to which file
//     ledger       outcomes by operation id
//     token        SHA-256 of API tokens (no database) and user tokens; server-to-server keys by the SHA-256 of their public half, which is there too; of a
//                  rotating token also the one after it and the one before, and when it took over
//     record_field what records of a container look like: one row per record type, and per field and type of its values
//
// Every key of what users keep begins with the database, so no statement can reach across. Times are milliseconds since 1970; nonces and the epoch are
// random 64-bit patterns, stored as signed integers.

import Foundation
import SluiceRecords
import SluiceSQLite

enum ServiceFile {
    static let version: Int64 = 7
    static let defaultZone: Int64 = 1
    /// The zone number under which `commit_log` keeps the database's own feed.
    static let databaseFeed: Int64 = 0

    private static let tables = """
        CREATE TABLE service(
            only INTEGER PRIMARY KEY CHECK (only = 1), version INTEGER NOT NULL, epoch INTEGER NOT NULL, asset_key BLOB);
        CREATE TABLE database(
            id INTEGER PRIMARY KEY, container TEXT NOT NULL, environment TEXT NOT NULL, user TEXT NOT NULL,
            record_name TEXT NOT NULL, UNIQUE(container, environment, user));
        \(headTable);
        CREATE TABLE zone(
            database INTEGER NOT NULL REFERENCES database(id), id INTEGER NOT NULL, name TEXT NOT NULL, nonce INTEGER NOT NULL,
            sequence INTEGER NOT NULL, head_nonce INTEGER NOT NULL, purged INTEGER NOT NULL, changed INTEGER NOT NULL,
            is_deleted INTEGER NOT NULL, reason TEXT, former TEXT, PRIMARY KEY(database, id), UNIQUE(database, name)) WITHOUT ROWID;
        CREATE TABLE record(
            id INTEGER PRIMARY KEY, database INTEGER NOT NULL, zone INTEGER NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL,
            sequence INTEGER NOT NULL, nonce INTEGER NOT NULL, fields BLOB NOT NULL, parent TEXT, bytes INTEGER NOT NULL,
            is_deleted INTEGER NOT NULL, created INTEGER NOT NULL, created_device TEXT NOT NULL, modified INTEGER NOT NULL,
            modified_device TEXT NOT NULL, FOREIGN KEY(database, zone) REFERENCES zone(database, id));
        CREATE UNIQUE INDEX record_by_name ON record(database, zone, name);
        CREATE UNIQUE INDEX record_by_sequence ON record(database, zone, sequence);
        CREATE INDEX record_tombstone ON record(modified) WHERE is_deleted = 1;
        CREATE TABLE commit_log(
            database INTEGER NOT NULL, zone INTEGER NOT NULL, last INTEGER NOT NULL, first INTEGER NOT NULL, nonce INTEGER NOT NULL,
            time INTEGER NOT NULL, PRIMARY KEY(database, zone, last)) WITHOUT ROWID;
        CREATE TABLE reference(
            database INTEGER NOT NULL, zone INTEGER NOT NULL, target TEXT NOT NULL, source TEXT NOT NULL, action INTEGER NOT NULL,
            PRIMARY KEY(database, zone, target, source)) WITHOUT ROWID;
        CREATE INDEX reference_by_source ON reference(database, zone, source);
        CREATE TABLE ledger(
            id INTEGER PRIMARY KEY, database INTEGER NOT NULL, holder TEXT NOT NULL, operation TEXT NOT NULL, digest BLOB NOT NULL,
            outcome BLOB NOT NULL, created INTEGER NOT NULL, UNIQUE(database, holder, operation));
        CREATE INDEX ledger_by_age ON ledger(created);
        CREATE TABLE token(
            id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, container TEXT NOT NULL, environment TEXT NOT NULL,
            database INTEGER REFERENCES database(id), holder TEXT NOT NULL, created INTEGER NOT NULL, expires INTEGER,
            is_revoked INTEGER NOT NULL, public_key BLOB, rotation TEXT, next_digest BLOB, previous_digest BLOB,
            rotated INTEGER NOT NULL DEFAULT 0);
        \(rotationIndices)
        \(recordFieldTable);
        \(assetTables)
        """

    /// What version 2 brought.
    private static let assetTables = """
        CREATE TABLE asset(
            database INTEGER NOT NULL REFERENCES database(id), id BLOB NOT NULL, digest BLOB NOT NULL, bytes INTEGER NOT NULL,
            uses INTEGER NOT NULL, touched INTEGER NOT NULL, PRIMARY KEY(database, id)) WITHOUT ROWID;
        CREATE INDEX asset_unused ON asset(touched) WHERE uses = 0;
        CREATE TABLE asset_use(
            database INTEGER NOT NULL, zone INTEGER NOT NULL, record TEXT NOT NULL, asset BLOB NOT NULL,
            PRIMARY KEY(database, zone, record, asset)) WITHOUT ROWID;
        CREATE INDEX asset_use_by_zone ON asset_use(database, zone, asset);
        """

    /// What version 7 brought.
    private static let headTable = """
        CREATE TABLE head(
            database INTEGER PRIMARY KEY REFERENCES database(id), nonce INTEGER NOT NULL, sequence INTEGER NOT NULL, head_nonce INTEGER NOT NULL,
            bytes INTEGER NOT NULL)
        """

    private static let recordFieldTable = """
        CREATE TABLE record_field(
            container TEXT NOT NULL, environment TEXT NOT NULL, record_type TEXT NOT NULL, name TEXT NOT NULL, value_type TEXT NOT NULL,
            PRIMARY KEY(container, environment, record_type, name, value_type)) WITHOUT ROWID
        """

    private static let rotationIndices = """
        CREATE INDEX token_by_next ON token(next_digest) WHERE next_digest IS NOT NULL;
        CREATE INDEX token_by_previous ON token(previous_digest) WHERE previous_digest IS NOT NULL;
        """

    /// What brings a file from one version to the next; a step that was released is never changed.
    private static let steps = [
        "ALTER TABLE service ADD COLUMN asset_key BLOB; \(assetTables)",
        "ALTER TABLE token ADD COLUMN public_key BLOB",
        """
        ALTER TABLE token ADD COLUMN rotation TEXT; ALTER TABLE token ADD COLUMN next_digest BLOB;
        ALTER TABLE token ADD COLUMN previous_digest BLOB; ALTER TABLE token ADD COLUMN rotated INTEGER NOT NULL DEFAULT 0;
        \(rotationIndices)
        """,
        recordFieldTable,
        "ALTER TABLE zone ADD COLUMN former TEXT",
        """
        \(headTable); INSERT INTO head SELECT id, nonce, sequence, head_nonce, bytes FROM database;
        ALTER TABLE database DROP COLUMN nonce; ALTER TABLE database DROP COLUMN sequence;
        ALTER TABLE database DROP COLUMN head_nonce; ALTER TABLE database DROP COLUMN bytes
        """,
    ]

    /// Opens the one writing connection; makes the tables in a new file, and those that an older version lacks.
    /// - Parameter random: for the epoch of a new file.
    static func openWriter(path: String, mode: Connection.Mode = .create, random: () -> UInt64) throws -> Connection {
        let connection = try Connection(path: path, mode: mode)
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = OFF; PRAGMA cache_size = -16000")
        try connection.execute("PRAGMA journal_size_limit = 16777216; PRAGMA foreign_keys = ON")
        try connection.transaction {
            if try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'service'") == 0 {
                try connection.execute(tables)
                try connection.run("INSERT INTO service(only, version, epoch) VALUES (1, ?, ?)", [.integer(version), .integer(Int64(bitPattern: random()))])
            } else {
                let found = try connection.integer("SELECT version FROM service")
                if (1..<version).contains(found) {
                    for step in steps[Int(found - 1)...] { try connection.execute(step) }
                    try connection.run("UPDATE service SET version = ?", [.integer(version)])
                }
            }
            // A key is never from a seed, not even where everything else is.
            var system = SystemRandomNumberGenerator()
            let key = (0..<4).reduce(into: Data()) { key, _ in withUnsafeBytes(of: system.next()) { key.append(contentsOf: $0) } }
            try connection.run("UPDATE service SET asset_key = ? WHERE asset_key IS NULL AND version = ?", [.blob(key), .integer(version)])
        }
        let found = try connection.integer("SELECT version FROM service")
        guard found == version else {
            throw StorageError.unavailable("\(path) has format \(found), this program reads \(version): use the release that wrote it")
        }
        return connection
    }

    static func openReader(path: String) throws(SQLiteError) -> Connection {
        let connection = try Connection(path: path, mode: .readOnly)
        try connection.execute("PRAGMA cache_size = -8000")
        return connection
    }
}

