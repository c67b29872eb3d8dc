import SluiceRecords
import SluiceSQLite

extension WriteTransaction {
    /// Rows that one run forgets of each kind; the next run goes on.
    private static let prunedCountMax: Int64 = 10_000
    private static let day: Int64 = 86_400_000

    func prune() throws {
        try connection.write(
            "DELETE FROM ledger WHERE id IN (SELECT id FROM ledger WHERE created < ? LIMIT ?)",
            [.integer(now - Int64(ServiceLimits.ledgerDays) * Self.day), .integer(Self.prunedCountMax)])
        let cutoff = now - Int64(ServiceLimits.tombstoneDays) * Self.day
        try pruneTombstones(before: cutoff)
        for feed in try feeds() { try pruneLog(of: feed, before: cutoff) }
        try pruneDeletedZones()
    }

    /// Forgets tombstones in the order of their age, and notes in the zone up to where: a token before that place has expired.
    private func pruneTombstones(before cutoff: Int64) throws {
        let old = try connection.rows(
            "SELECT id, database, zone, sequence FROM record WHERE is_deleted = 1 AND modified < ? ORDER BY modified LIMIT ?",
            [.integer(cutoff), .integer(Self.prunedCountMax)]
        ) { (id: $0.integer(0), key: ZoneKey(database: $0.integer(1), zone: $0.integer(2)), sequence: $0.integer(3)) }
        for tombstone in old {
            try connection.write("DELETE FROM record WHERE id = ?", [.integer(tombstone.id)])
            try connection.write(
                "UPDATE zone SET purged = max(purged, ?) WHERE database = ? AND id = ?",
                [.integer(tombstone.sequence), .integer(tombstone.key.database), .integer(tombstone.key.zone)])
        }
    }

    private func feeds() throws -> [ZoneKey] {
        try connection.rows("SELECT database, id FROM zone UNION ALL SELECT database, \(ServiceFile.databaseFeed) FROM head") {
            ZoneKey(database: $0.integer(0), zone: $0.integer(1))
        }
    }

    /// The newest entry beyond the age stays: who was there yesterday and nothing has changed since, is up to date.
    private func pruneLog(of feed: ZoneKey, before cutoff: Int64) throws {
        let key: [SQLiteValue] = [.integer(feed.database), .integer(feed.zone)]
        let kept = try connection.firstRow(
            """
            SELECT max(last) FROM (SELECT last, time FROM commit_log WHERE database = ? AND zone = ? ORDER BY last LIMIT ?) WHERE time < ?
            """, key + [.integer(Self.prunedCountMax), .integer(cutoff)]
        ) { $0.isNull(0) ? nil : $0.integer(0) } ?? nil
        guard let kept else { return }
        try connection.write("DELETE FROM commit_log WHERE database = ? AND zone = ? AND last < ?", key + [.integer(kept)])
    }

    /// A deleted zone goes when every token from before its deletion has expired.
    private func pruneDeletedZones() throws {
        try connection.write(
            """
            DELETE FROM zone WHERE is_deleted = 1 AND changed < (
                SELECT min(first) FROM commit_log WHERE commit_log.database = zone.database AND commit_log.zone = \(ServiceFile.databaseFeed))
            """, [])
    }
}
