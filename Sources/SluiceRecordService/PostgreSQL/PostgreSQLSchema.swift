// The tables on a PostgreSQL server, in a schema of their own. They hold what ServiceFile.swift says of the file, with these differences:
//
//     record, ledger   have no numbers: their keys are their names, the database first, so that they can be split by database
//     texts            compare by their bytes (COLLATE "C"), as the feed, the markers and the other storage do
//     indices          of one table begin differently, or the one that finds single rows is made last: of two that serve as well, the server takes
//                      the last one, and as long as it has no statistics it holds a part of a key for as good as the whole
//     database         names databases and is written when one is made only; every key of the other tables begins with its number (decision 0036,
//                      Deploy/citus.sql)
//     commit_log       is looked through by age in an index of a few pages, because it is written in the order of time
//
// Who changes a table adds a step to `steps`; a step that was released is never changed.

import Foundation
import SluicePostgreSQL
import SluiceRecords

enum PostgreSQLSchema {
    /// What brings the tables from one version to the next; the first makes them.
    static let steps = [
        """
        CREATE TABLE service(
            one bigint PRIMARY KEY CHECK (one = 1), version bigint NOT NULL, epoch bigint NOT NULL, asset_key bytea NOT NULL);
        CREATE TABLE database(
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, container text COLLATE "C" NOT NULL, environment text COLLATE "C" NOT NULL,
            "user" text COLLATE "C" NOT NULL, record_name text COLLATE "C" NOT NULL, nonce bigint NOT NULL, sequence bigint NOT NULL,
            head_nonce bigint NOT NULL, bytes bigint NOT NULL, UNIQUE(container, environment, "user")) WITH (fillfactor = 50);
        CREATE TABLE zone(
            database bigint NOT NULL REFERENCES database(id), id bigint NOT NULL, name text COLLATE "C" NOT NULL, nonce bigint NOT NULL,
            sequence bigint NOT NULL, head_nonce bigint NOT NULL, purged bigint NOT NULL, changed bigint NOT NULL,
            is_deleted bigint NOT NULL, reason text, PRIMARY KEY(database, id), UNIQUE(database, name)) WITH (fillfactor = 50);
        CREATE TABLE record(
            database bigint NOT NULL, zone bigint NOT NULL, name text COLLATE "C" NOT NULL, type text COLLATE "C" NOT NULL,
            sequence bigint NOT NULL, nonce bigint NOT NULL, fields bytea NOT NULL, parent text COLLATE "C", bytes bigint NOT NULL,
            is_deleted bigint NOT NULL, created bigint NOT NULL, created_device text NOT NULL, modified bigint NOT NULL,
            modified_device text NOT NULL, UNIQUE(database, zone, sequence));
        ALTER TABLE record ADD PRIMARY KEY(database, zone, name);
        CREATE INDEX record_tombstone ON record(modified) WHERE is_deleted = 1;
        CREATE TABLE commit_log(
            database bigint NOT NULL, zone bigint NOT NULL, last bigint NOT NULL, first bigint NOT NULL, nonce bigint NOT NULL,
            time bigint NOT NULL, PRIMARY KEY(database, zone, last));
        CREATE INDEX commit_log_by_age ON commit_log USING brin(time);
        CREATE TABLE reference(
            database bigint NOT NULL, zone bigint NOT NULL, target text COLLATE "C" NOT NULL, source text COLLATE "C" NOT NULL,
            action bigint NOT NULL, PRIMARY KEY(database, zone, target, source));
        CREATE INDEX reference_by_source ON reference(database, source, zone);
        CREATE TABLE ledger(
            database bigint NOT NULL, holder text COLLATE "C" NOT NULL, operation text COLLATE "C" NOT NULL, digest bytea NOT NULL,
            outcome bytea NOT NULL, created bigint NOT NULL, PRIMARY KEY(database, holder, operation));
        CREATE INDEX ledger_by_age ON ledger USING brin(created);
        CREATE TABLE token(
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, digest bytea NOT NULL UNIQUE, container text COLLATE "C" NOT NULL,
            environment text COLLATE "C" NOT NULL, database bigint REFERENCES database(id), holder text NOT NULL, created bigint NOT NULL,
            expires bigint, is_revoked bigint NOT NULL);
        CREATE TABLE asset(
            database bigint NOT NULL REFERENCES database(id), id bytea NOT NULL, digest bytea NOT NULL, bytes bigint NOT NULL,
            uses bigint NOT NULL, touched bigint NOT NULL, PRIMARY KEY(database, id));
        CREATE INDEX asset_unused ON asset(touched) WHERE uses = 0;
        CREATE TABLE asset_use(
            database bigint NOT NULL, zone bigint NOT NULL, record text COLLATE "C" NOT NULL, asset bytea NOT NULL,
            PRIMARY KEY(database, zone, record, asset));
        CREATE INDEX asset_use_by_zone ON asset_use(database, asset, zone)
        """,
        "ALTER TABLE token ADD COLUMN public_key bytea",
        """
        ALTER TABLE token ADD COLUMN rotation text, ADD COLUMN next_digest bytea, ADD COLUMN previous_digest bytea,
            ADD COLUMN rotated bigint NOT NULL DEFAULT 0;
        CREATE INDEX token_by_next ON token(next_digest) WHERE next_digest IS NOT NULL;
        CREATE INDEX token_by_previous ON token(previous_digest) WHERE previous_digest IS NOT NULL
        """,
        """
        CREATE TABLE record_field(
            container text COLLATE "C" NOT NULL, environment text COLLATE "C" NOT NULL, record_type text COLLATE "C" NOT NULL,
            name text COLLATE "C" NOT NULL, value_type text COLLATE "C" NOT NULL, PRIMARY KEY(container, environment, record_type, name, value_type))
        """,
        "ALTER TABLE zone ADD COLUMN former text",
        """
        CREATE TABLE head(
            database bigint PRIMARY KEY REFERENCES database(id), nonce bigint NOT NULL, sequence bigint NOT NULL, head_nonce bigint NOT NULL,
            bytes bigint NOT NULL) WITH (fillfactor = 50);
        /* global: one process migrates */
        INSERT INTO head(database, nonce, sequence, head_nonce, bytes) SELECT id, nonce, sequence, head_nonce, bytes FROM database;
        ALTER TABLE zone DROP CONSTRAINT zone_database_fkey;
        ALTER TABLE zone ADD FOREIGN KEY (database) REFERENCES head(database);
        ALTER TABLE asset DROP CONSTRAINT asset_database_fkey;
        ALTER TABLE asset ADD FOREIGN KEY (database) REFERENCES head(database);
        ALTER TABLE database DROP COLUMN nonce, DROP COLUMN sequence, DROP COLUMN head_nonce, DROP COLUMN bytes;
        ALTER TABLE database RESET (fillfactor)
        """,
    ]

    static var version: Int64 { Int64(steps.count) }

    private static let isThere = "/* global: whether there is a service */ SELECT count(*) FROM pg_tables WHERE schemaname = $1 AND tablename = 'service'"
    private static let readVersion = "/* global: of which version the tables are */ SELECT version FROM service"

    /// Whether the schema holds a service.
    static func exists(_ target: PostgreSQLTarget, on connection: PostgreSQLConnection) throws(PostgreSQLError) -> Bool {
        try connection.run(isThere, [.text(target.schema)]).integer(0, 0) == 1
    }

    /// Drops the schema with everything in it.
    static func remove(_ target: PostgreSQLTarget, on connection: PostgreSQLConnection) throws(PostgreSQLError) {
        _ = try connection.run("/* global: everything */ DROP SCHEMA \(target.schema) CASCADE")
    }

    /// Makes the tables where there are none, and brings older ones up to now: one process at a time, wholly or not at all.
    /// - Parameters:
    ///   - creates: false only brings up to now.
    ///   - random: for the epoch of new tables.
    /// - Throws: `StorageError.unavailable` for tables of a later version, which stay as they are.
    static func migrate(
        _ target: PostgreSQLTarget, on connection: PostgreSQLConnection, creates: Bool, random: () -> UInt64
    ) throws {
        if !creates, try version(on: connection) == version { return }
        try connection.enqueue("BEGIN")
        do {
            // A step over all rows may take as long as it takes; for this transaction only.
            try connection.enqueue("SELECT set_config('statement_timeout', '0', true)")
            try connection.enqueue("/* global: one process migrates */ SELECT pg_advisory_xact_lock($1)", [.integer(AdvisoryLock.migration.key(target))])
            if try !exists(target, on: connection) {
                // Whoever was given a schema of that name uses it; the right to make one is not needed then.
                let schemas = try connection.run("/* global: schemas */ SELECT count(*) FROM pg_namespace WHERE nspname = $1", [.text(target.schema)])
                if schemas.integer(0, 0) == 0 { try connection.enqueue("CREATE SCHEMA \(target.schema)") }
                try run(steps[0], on: connection)
                try connection.enqueue(
                    "/* global: the service's own row */ INSERT INTO service(one, version, epoch, asset_key) VALUES (1, 1, $1, $2)",
                    [.integer(Int64(bitPattern: random())), .bytes(newKey())])
            }
            let found = try version(on: connection)
            guard found <= version else { throw StorageError.unavailable(refusal(of: found)) }
            for next in found..<version {
                try run(steps[Int(next)], on: connection)
                try connection.enqueue("/* global: the service's own row */ UPDATE service SET version = $1", [.integer(next + 1)])
            }
            try connection.enqueue("COMMIT")
            try connection.flush()
        } catch {
            connection.truncateQueue(to: 0)
            if !connection.isLost { _ = try connection.run("ROLLBACK") }
            throw error
        }
    }

    /// - Throws: where the tables are not of the version that this program knows.
    static func check(on connection: PostgreSQLConnection) throws {
        let found = try version(on: connection)
        guard found == version else { throw StorageError.unavailable(refusal(of: found)) }
    }

    private static func version(on connection: PostgreSQLConnection) throws(PostgreSQLError) -> Int64 {
        try connection.run(readVersion).integer(0, 0)
    }

    private static func refusal(of found: Int64) -> String {
        found > version
            ? "the tables have format \(found), this program reads \(version): use the release that wrote them"
            : "the tables have format \(found), this program reads \(version): start one process of this release, which brings them up to it"
    }

    private static func run(_ script: String, on connection: PostgreSQLConnection) throws {
        for statement in script.split(separator: ";") {
            try connection.enqueue(statement.trimmingCharacters(in: .whitespacesAndNewlines), isPrepared: false)
        }
        try connection.flush()
    }

    /// A key is never from a seed, not even where everything else is.
    private static func newKey() -> Data {
        var system = SystemRandomNumberGenerator()
        return (0..<4).reduce(into: Data()) { key, _ in withUnsafeBytes(of: system.next()) { key.append(contentsOf: $0) } }
    }
}

/// Locks that belong to no row; the server lets them go with the transaction.
enum AdvisoryLock: Int64 {
    case migration = 1
    /// Tokens and the list of databases.
    case registry

    /// A number that no two services in one server share, but by a chance of one in 2^60.
    func key(_ target: PostgreSQLTarget) -> Int64 {
        let hash = "sluice-records \(target.schema)".utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return Int64(bitPattern: hash &<< 2 | UInt64(rawValue))
    }
}
