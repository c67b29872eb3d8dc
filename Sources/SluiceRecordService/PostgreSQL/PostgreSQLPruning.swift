// What is past its time, on a server that others write to at the same moment: who has something to forget is found without a lock, and forgotten
// database by database with the lock that every writer takes. Each step is bounded; the next run goes on.

import Foundation
import SluiceRecords
import SluiceSQLite

/// The cutoffs of one run.
struct PruningTimes: Sendable {
    let ledger: Int64
    let tombstones: Int64
    private static let day: Int64 = 86_400_000

    init(now: Int64) {
        ledger = now - Int64(ServiceLimits.ledgerDays) * Self.day
        tombstones = now - Int64(ServiceLimits.tombstoneDays) * Self.day
    }
}

extension FeedReading {
    /// Databases of which a run looks after one kind of thing.
    static let prunedDatabasesMax: Int64 = 1_000

    /// Databases that have something to forget, in their order, each once.
    func prunable(_ times: PruningTimes) throws -> [DatabaseID] {
        let old: [(sql: String, time: Int64)] = [
            ("SELECT DISTINCT database FROM ledger WHERE created < ? LIMIT ?", times.ledger),
            ("SELECT DISTINCT database FROM record WHERE is_deleted = 1 AND modified < ? LIMIT ?", times.tombstones),
        ]
        var found: Set<Int64> = []
        for (sql, time) in old {
            found.formUnion(
                try connection.rows("/* global: who has something to forget */ \(sql)", [.integer(time), .integer(Self.prunedDatabasesMax)]) { $0.integer(0) })
        }
        // The newest entry beyond the age stays, so one entry alone is nothing to forget.
        found.formUnion(
            try connection.rows(
                """
                /* global: who has something to forget */ SELECT DISTINCT old.database FROM commit_log old WHERE old.time < ? AND EXISTS (
                    SELECT 1 FROM commit_log newer WHERE newer.database = old.database AND newer.zone = old.zone AND newer.last > old.last
                    AND newer.time < ?) LIMIT ?
                """, [.integer(times.tombstones), .integer(times.tombstones), .integer(Self.prunedDatabasesMax)]
            ) { $0.integer(0) })
        return found.sorted().map(DatabaseID.init)
    }

    /// Databases that have a file which nobody has referred to since `time`, in their order.
    func databasesWithUnusedAssets(since time: Int64, limit: Int) throws -> [DatabaseID] {
        try connection.rows(
            "/* global: files of anybody that nobody refers to */ SELECT DISTINCT database FROM asset WHERE uses = 0 AND touched < ? ORDER BY database LIMIT ?",
            [.integer(time), .integer(Int64(limit))]
        ) { DatabaseID(rawValue: $0.integer(0)) }
    }
}

extension WriteTransaction {
    /// Rows that one run forgets of each kind and database.
    private static let prunedCountMax: Int64 = 10_000

    /// Forgets what is past its time in one database, which this transaction has to itself.
    func prune(_ database: DatabaseID, _ times: PruningTimes) throws {
        let key = SQLiteValue.integer(database.rawValue)
        try connection.write("DELETE FROM ledger WHERE database = ? AND created < ?", [key, .integer(times.ledger)])
        let zones = try connection.rows("SELECT id FROM zone WHERE database = ?", [key]) { $0.integer(0) }
        for zone in zones { try pruneTombstones([key, .integer(zone)], before: times.tombstones) }
        for zone in zones + [ServiceFile.databaseFeed] { try pruneLog([key, .integer(zone)], before: times.tombstones) }
        // A deleted zone goes when every token from before its deletion has expired.
        try connection.write(
            """
            DELETE FROM zone WHERE database = ? AND is_deleted = 1 AND changed < (
                SELECT min(first) FROM commit_log WHERE database = ? AND zone = \(ServiceFile.databaseFeed))
            """, [key, key])
    }

    /// Forgets tombstones in the order of their age, and notes in the zone up to where: a token before that place has expired.
    private func pruneTombstones(_ zone: [SQLiteValue], before cutoff: Int64) throws {
        let old = try connection.rows(
            "SELECT name, sequence FROM record WHERE database = ? AND zone = ? AND is_deleted = 1 AND modified < ? ORDER BY modified LIMIT ?",
            zone + [.integer(cutoff), .integer(Self.prunedCountMax)]
        ) { (name: $0.text(0), sequence: $0.integer(1)) }
        guard let last = old.map(\.sequence).max() else { return }
        for tombstone in old {
            try connection.write("DELETE FROM record WHERE database = ? AND zone = ? AND name = ?", zone + [.text(tombstone.name)])
        }
        try connection.write("UPDATE zone SET purged = ? WHERE database = ? AND id = ? AND purged < ?", [.integer(last)] + zone + [.integer(last)])
    }

    /// The newest entry beyond the age stays: who was there yesterday and nothing has changed since, is up to date.
    private func pruneLog(_ feed: [SQLiteValue], before cutoff: Int64) throws {
        try connection.write(
            """
            DELETE FROM commit_log WHERE database = ? AND zone = ? AND last < (
                SELECT max(last) FROM commit_log WHERE database = ? AND zone = ? AND time < ?)
            """, feed + feed + [.integer(cutoff)])
    }
}
