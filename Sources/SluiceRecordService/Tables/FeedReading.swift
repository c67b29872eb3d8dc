import Foundation
import SluiceRecords
import SluiceSQLite

/// What readers see of feeds, on their own connection, inside one read transaction each.
package struct FeedReading {
    let connection: any TableConnection
    let epoch: Epoch

    func zonePage(_ query: FeedQuery, in database: DatabaseID) throws -> FeedPage {
        guard let zone = try ZoneRow.live(query.zone, in: database, on: connection) else {
            throw try absence(of: query.zone, token: query.token, in: database)
        }
        if let token = query.token { try check(token, in: zone) }
        try check(query.seen, in: zone, isFetchingAll: query.token == nil)
        let (page, moreComing) = try records(query, in: zone)
        return FeedPage(records: page.map(\.record), token: token(after: page.last, query, zone, moreComing), moreComing: moreComing)
    }

    func databasePage(since token: SyncToken?, limit: Int, in database: DatabaseID) throws -> DatabaseFeedPage {
        let head = try connection.firstRow("SELECT nonce, sequence, head_nonce FROM head WHERE database = ?", [.integer(database.rawValue)]) {
            (nonce: $0.bits(0), sequence: $0.integer(1), headNonce: $0.bits(2))
        }
        guard let head else { throw StorageError.unavailable("no database \(database.rawValue)") }
        let feed = WriteTransaction.ZoneKey(database: database.rawValue, zone: ServiceFile.databaseFeed)
        if let token {
            try check(token, feed: feed, origin: head.nonce)
        }
        let rows = try ZoneRow.changed(after: token?.sequence ?? 0, limit: limit + 1, in: database, on: connection)
        // A fresh device has nothing to learn from zones that are gone.
        let page = rows.prefix(limit).filter { token != nil || !$0.isDeleted }
        let moreComing = rows.count > limit
        let next = moreComing ? rows[limit - 1].changed : head.sequence
        let nonce = try moreComing ? self.nonce(of: next, feed: feed) : head.headNonce
        return DatabaseFeedPage(
            zones: page.map { $0.zone(epoch) }, token: SyncToken(.database, epoch: epoch, sequence: next, nonce: nonce ?? head.headNonce),
            moreComing: moreComing)
    }

    /// One element per name; nil where there is no such record.
    func records(named names: [String], zone: ZoneID, knowing past: KnownPast, in database: DatabaseID) throws -> [StoredRecord?] {
        guard let row = try ZoneRow.live(zone, in: database, on: connection) else { throw StorageError.zoneNotFound(zone) }
        try check(past, in: row)
        let sql = "SELECT \(StoredRecord.columns) FROM record WHERE database = ? AND zone = ? AND name = ? AND is_deleted = 0"
        let queries = names.map { TableQuery(sql, [.integer(row.key.database), .integer(row.key.zone), .text($0)]) }
        if connection.readsAhead { try connection.readAhead(queries) }
        return try queries.map { query in try connection.firstRow(query) { StoredRecord(row: $0, zone: row) } }
    }

    func statistics() throws -> StorageStatistics {
        var statistics = StorageStatistics()
        let global = "/* global: what metrics say about everything */"
        try connection.forEachRow("\(global) SELECT count(*), CAST(coalesce(sum(bytes), 0) AS bigint) FROM head", []) {
            (statistics.databases, statistics.bytes) = (Int($0.integer(0)), $0.integer(1))
        }
        statistics.zones = Int(try connection.integer("\(global) SELECT count(*) FROM zone WHERE is_deleted = 0"))
        return statistics
    }

    // MARK: Tokens

    /// Why a zone is not there: how it ended, as far as this is known. Of a zone that a token is of and nobody here heard of it is not: an older copy
    /// of the tables knows nothing of what was made after it.
    private func absence(of zone: ZoneID, token: SyncToken?, in database: DatabaseID) throws -> StorageError {
        guard let row = try ZoneRow.any(zone.zoneName, in: database, on: connection), row.isDeleted,
            zone.ownerRecordName == nil || zone.ownerRecordName == row.owner, token == nil || token?.epoch == epoch
        else { return .zoneNotFound(zone) }
        let history = row.former.adding(row.nonce, row.reason ?? .deleted)
        guard let reason = history.reason(forEndOf: token?.origin ?? row.nonce) else { return .zoneNotFound(zone) }
        return .zoneDeleted(zone, reason, isBack: false)
    }

    private func check(_ token: SyncToken, in zone: ZoneRow) throws {
        if let origin = token.origin, origin != zone.nonce {
            guard token.epoch == epoch, let reason = zone.former.reason(forEndOf: origin) else { throw StorageError.tokenOfAnotherTimeline }
            throw StorageError.zoneDeleted(zone.zoneID, reason, isBack: true)
        }
        // Tombstones after this place may have been forgotten. A token of another epoch says nothing about this one's places.
        guard token.epoch != epoch || token.sequence == 0 || token.sequence >= zone.purged else { throw StorageError.tokenTooOld(epoch: epoch) }
        try check(token, feed: zone.key, origin: zone.nonce)
    }

    /// Accepts a token whose entry is in this timeline and has the token's nonce.
    /// - Parameter origin: the nonce of the feed's creation, which stands for entry 0.
    private func check(_ token: SyncToken, feed: WriteTransaction.ZoneKey, origin: UInt64) throws {
        let nonce = try token.sequence == 0 ? origin : nonce(of: token.sequence, feed: feed)
        guard token.epoch == epoch, token.nonce == nonce else { throw StorageError.tokenOfAnotherTimeline }
    }

    /// Accepts versions that commits of this timeline made. A copy that was put back has the token of before them and not them.
    /// - Parameter isFetchingAll: the reader has no token, so what was forgotten here since does not matter to it.
    private func check(_ seen: [ChangeTag], in zone: ZoneRow, isFetchingAll: Bool) throws {
        let known = seen.filter { $0.sequence >= zone.purged }
        // As of a token: tombstones after this place may have been forgotten. It happens to who has written and never pulled since.
        guard known.count == seen.count || isFetchingAll else { throw StorageError.tokenTooOld(epoch: epoch) }
        if connection.readsAhead, !known.isEmpty { try connection.readAhead(Set(known.map(\.sequence)).sorted().map { entryQuery($0, zone.key) }) }
        for tag in known where try nonce(of: tag.sequence, feed: zone.key) != tag.nonce { throw StorageError.tokenOfAnotherTimeline }
    }

    /// Whether this timeline has what a reader of single records has seen. It draws no conclusion from what does not come, so nothing is too old.
    private func check(_ past: KnownPast, in zone: ZoneRow) throws {
        if let token = past.token {
            guard token.epoch == epoch, token.origin == nil || token.origin == zone.nonce else { throw StorageError.tokenOfAnotherTimeline }
            if token.sequence == 0 || token.sequence >= zone.purged { try check(token, feed: zone.key, origin: zone.nonce) }
        }
        try check(past.seen, in: zone, isFetchingAll: true)
    }

    /// The nonce of the commit that made an entry; nil where no commit did, or the log has forgotten it.
    private func nonce(of sequence: Int64, feed: WriteTransaction.ZoneKey) throws -> UInt64? {
        let entry = try connection.firstRow(entryQuery(sequence, feed)) { (first: $0.integer(0), nonce: $0.bits(1)) }
        return entry.flatMap { $0.first <= sequence ? $0.nonce : nil }
    }

    /// The commit that made an entry, or the next one after it.
    private func entryQuery(_ sequence: Int64, _ feed: WriteTransaction.ZoneKey) -> TableQuery {
        TableQuery(
            "SELECT first, nonce FROM commit_log WHERE database = ? AND zone = ? AND last >= ? ORDER BY last LIMIT 1",
            [.integer(feed.database), .integer(feed.zone), .integer(sequence)])
    }

    /// Where the reader of this page stands: at the head after the last one, else at the page's last entry.
    private func token(after last: Row?, _ query: FeedQuery, _ zone: ZoneRow, _ moreComing: Bool) -> SyncToken {
        if let last, moreComing, !query.isReversed, query.token == nil || query.token?.position != nil {
            let began = query.token ?? zone.headToken(epoch)
            if last.sequence < began.sequence {
                return SyncToken(
                    .zone, epoch: epoch, origin: zone.nonce, sequence: began.sequence, nonce: began.nonce, position: last.sequence)
            }
        }
        if let last, moreComing || query.isReversed {
            return SyncToken(.zone, epoch: epoch, origin: zone.nonce, sequence: last.sequence, nonce: last.nonce)
        }
        return query.isReversed ? query.token ?? zone.headToken(epoch) : zone.headToken(epoch)
    }

    // MARK: Rows

    private struct Row {
        let record: StoredRecord
        let sequence: Int64
        let nonce: UInt64
    }

    /// The page's rows, and whether there are more behind them.
    private func records(_ query: FeedQuery, in zone: ZoneRow) throws -> (rows: [Row], moreComing: Bool) {
        let start = query.token?.start ?? (query.isReversed ? .max : 0)
        let types = query.recordTypes.map { " AND (is_deleted = 1 OR type IN (\(SQLText.placeholders($0.count))))" } ?? ""
        let sql = """
            SELECT \(StoredRecord.columns) FROM record WHERE database = ? AND zone = ? AND sequence \(query.isReversed ? "<" : ">") ?\(types)
            ORDER BY sequence \(query.isReversed ? "DESC" : "ASC") LIMIT ?
            """
        let values: [SQLiteValue] =
            [.integer(zone.key.database), .integer(zone.key.zone), .integer(start)] + (query.recordTypes ?? []).map { .text($0) }
            + [.integer(Int64(query.limit) + 1)]
        var rows: [Row] = []
        var bytes = 0
        var moreComing = false
        try connection.scan(sql, values) { found in
            if rows.count == query.limit || bytes > query.bytes {
                moreComing = true
                return false
            }
            let row = Row(record: StoredRecord(row: found, zone: zone), sequence: found.integer(2), nonce: found.bits(3))
            bytes += row.record.fieldsJSON.count
            rows.append(row)
            return true
        }
        return (rows, moreComing)
    }
}
