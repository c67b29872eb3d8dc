import SluiceRecords
import SluiceSQLite

/// One group commit in the making: its connection, its time and nonce, and how far each zone's sequence has come.
///
/// Used on the writer's queue only, for the length of one transaction.
package final class WriteTransaction {
    struct ZoneKey: Hashable, Comparable {
        let database: Int64
        let zone: Int64

        static func < (left: ZoneKey, right: ZoneKey) -> Bool { (left.database, left.zone) < (right.database, right.zone) }
    }

    private struct ZoneProgress {
        /// The sequence before this group.
        let start: Int64
        var sequence: Int64
    }

    /// What a failing request must give back: everything here is a plain value.
    private struct Progress {
        var zones: [ZoneKey: ZoneProgress] = [:]
        /// Change of the bytes that count against the quota.
        var bytes: [Int64: Int64] = [:]
    }

    let connection: any TableConnection
    let epoch: Epoch
    let now: Int64
    let nonce: UInt64
    private var progress = Progress()

    init(_ connection: any TableConnection, epoch: Epoch, now: Int64, nonce: UInt64) {
        self.connection = connection
        self.epoch = epoch
        self.now = now
        self.nonce = nonce
    }

    /// Runs `body`; where it throws, rows and progress are as they were before.
    func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        let before = progress
        do {
            return try connection.savepoint(body)
        } catch {
            progress = before
            throw error
        }
    }

    // MARK: Progress

    /// A zone that begins anew in this commit, or ends, counts from 0, whatever it did before.
    func restart(_ key: ZoneKey) { progress.zones[key] = ZoneProgress(start: 0, sequence: 0) }

    /// The next version in a zone; with the first one the zone takes part in this commit.
    func nextSequence(in zone: ZoneRow) -> Int64 {
        var reached = progress.zones[zone.key] ?? ZoneProgress(start: zone.sequence, sequence: zone.sequence)
        reached.sequence += 1
        progress.zones[zone.key] = reached
        return reached.sequence
    }

    func addBytes(_ count: Int64, to database: Int64) { progress.bytes[database, default: 0] += count }

    /// Bytes of a database, this commit's changes included.
    func bytes(of database: Int64) throws -> Int64 {
        try (connection.firstRow(Self.bytesQuery(database)) { $0.integer(0) } ?? 0) + (progress.bytes[database] ?? 0)
    }

    /// What `bytes(of:)` asks.
    static func bytesQuery(_ database: Int64) -> TableQuery {
        TableQuery("SELECT bytes FROM head WHERE database = ?", [.integer(database)])
    }

    // MARK: The end of the group

    /// Writes the heads and the log entries of everything that took part.
    /// - Returns: the databases that changed.
    func finish() throws -> [DatabaseID] {
        let keys = progress.zones.keys.sorted()
        for key in keys { try finish(key) }
        var changed: [DatabaseID] = []
        for (database, keys) in Dictionary(grouping: keys, by: \.database).sorted(by: { $0.key < $1.key }) {
            try finish(database, keys)
            changed.append(DatabaseID(rawValue: database))
        }
        for (database, bytes) in progress.bytes where bytes != 0 {
            try connection.write("UPDATE head SET bytes = bytes + ? WHERE database = ?", [.integer(bytes), .integer(database)])
        }
        return changed
    }

    private func finish(_ key: ZoneKey) throws {
        guard let zone = progress.zones[key], zone.sequence > zone.start else { return }
        try connection.write(
            "UPDATE zone SET sequence = ?, head_nonce = ? WHERE database = ? AND id = ?",
            [.integer(zone.sequence), SQLiteValue(bits: nonce), .integer(key.database), .integer(key.zone)])
        try log(key, first: zone.start + 1, last: zone.sequence)
    }

    /// Each zone that took part gets its place in the database's feed.
    private func finish(_ database: Int64, _ keys: [ZoneKey]) throws {
        let start = try connection.integer("SELECT sequence FROM head WHERE database = ?", [.integer(database)])
        var sequence = start
        for key in keys {
            sequence += 1
            try connection.write(
                "UPDATE zone SET changed = ? WHERE database = ? AND id = ?", [.integer(sequence), .integer(database), .integer(key.zone)])
        }
        try connection.write(
            "UPDATE head SET sequence = ?, head_nonce = ? WHERE database = ?", [.integer(sequence), SQLiteValue(bits: nonce), .integer(database)])
        try log(ZoneKey(database: database, zone: ServiceFile.databaseFeed), first: start + 1, last: sequence)
    }

    private func log(_ key: ZoneKey, first: Int64, last: Int64) throws {
        try connection.write(
            "INSERT INTO commit_log(database, zone, last, first, nonce, time) VALUES (?, ?, ?, ?, ?, ?)",
            [.integer(key.database), .integer(key.zone), .integer(last), .integer(first), SQLiteValue(bits: nonce), .integer(now)])
    }
}
