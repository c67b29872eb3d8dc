import Foundation
import SluiceDigest
import SluiceRecords
import SluiceSQLite

/// What readers see of a service as a whole.
struct InventoryReading {
    let connection: any TableConnection

    func databases(after database: DatabaseID?, limit: Int) throws -> [DatabaseSummary] {
        try connection.rows(
            #"""
            /* global: an operator's list of databases */ SELECT database.id, database.container, database.environment, database."user",
            database.record_name, head.bytes FROM database JOIN head ON head.database = database.id WHERE database.id > ? ORDER BY database.id LIMIT ?
            """#,
            [.integer(database?.rawValue ?? 0), .integer(Int64(limit))]
        ) { row in
            DatabaseSummary(
                database: DatabaseID(rawValue: row.integer(0)), container: row.text(1), environment: row.text(2), user: row.text(3),
                userRecordName: row.text(4), bytes: row.integer(5), files: 0, fileBytes: 0, zones: [])
        }.map(filled)
    }

    private func filled(_ summary: DatabaseSummary) throws -> DatabaseSummary {
        var summary = summary
        let key = SQLiteValue.integer(summary.database.rawValue)
        summary.zones = try connection.rows(
            """
            SELECT zone.name, count(CASE WHEN record.is_deleted = 0 THEN 1 END), count(CASE WHEN record.is_deleted = 1 THEN 1 END),
            CAST(coalesce(sum(record.bytes), 0) AS bigint) FROM zone LEFT JOIN record ON record.database = zone.database AND record.zone = zone.id
            WHERE zone.database = ? AND zone.is_deleted = 0 GROUP BY zone.database, zone.id ORDER BY zone.id
            """, [key]
        ) { ZoneSummary(name: $0.text(0), records: Int($0.integer(1)), tombstones: Int($0.integer(2)), bytes: $0.integer(3)) }
        try connection.forEachRow("SELECT count(*), CAST(coalesce(sum(bytes), 0) AS bigint) FROM asset WHERE database = ?", [key]) {
            (summary.files, summary.fileBytes) = (Int($0.integer(0)), $0.integer(1))
        }
        return summary
    }

    func files(in database: DatabaseID, after asset: AssetID?, limit: Int) throws -> [FileSummary] {
        try connection.rows(
            "SELECT id, digest, bytes, uses FROM asset WHERE database = ? AND id > ? ORDER BY id LIMIT ?",
            [.integer(database.rawValue), .blob(asset?.bytes ?? Data()), .integer(Int64(limit))]
        ) { row in
            AssetID(bytes: row.data(0)).map {
                FileSummary(asset: StoredAsset(id: $0, digest: row.data(1), byteCount: row.integer(2)), isUsed: row.integer(3) > 0)
            }
        }.compactMap { $0 }
    }

    // MARK: Faults

    func faults(in database: DatabaseID) throws -> [String] {
        let key = SQLiteValue.integer(database.rawValue)
        var faults: [String] = []
        let counted = try connection.integer("SELECT bytes FROM head WHERE database = ?", [key])
        let held = try connection.integer(
            """
            SELECT CAST((SELECT coalesce(sum(bytes), 0) FROM record WHERE database = ?)
                + (SELECT coalesce(sum(bytes), 0) FROM asset WHERE database = ?) AS bigint)
            """, [key, key])
        if counted != held { faults.append("its quota counts \(counted) bytes, it holds \(held)") }
        try connection.forEachRow(
            """
            SELECT zone.name, record.name FROM record JOIN zone ON zone.database = record.database AND zone.id = record.zone
            WHERE record.database = ? AND record.sequence > zone.sequence LIMIT 100
            """, [key]
        ) { faults.append("record \($0.text(1)) in zone \($0.text(0)) has a version that the zone has not reached") }
        try connection.forEachRow(
            """
            SELECT asset.id, asset.uses, count(asset_use.record) FROM asset
            LEFT JOIN asset_use ON asset_use.database = asset.database AND asset_use.asset = asset.id
            WHERE asset.database = ? GROUP BY asset.database, asset.id HAVING asset.uses <> count(asset_use.record) LIMIT 100
            """, [key]
        ) { faults.append("file \($0.data(0).hexadecimal) counts \($0.integer(1)) records that refer to it, there are \($0.integer(2))") }
        return try faults + recordFaults(in: key)
    }

    /// Each record's fields can be read, and the files in them are those that are kept for it.
    private func recordFaults(in database: SQLiteValue) throws -> [String] {
        var faults: [String] = []
        try connection.scan(
            """
            SELECT zone.name, record.name, record.fields, record.is_deleted, record.zone FROM record
            JOIN zone ON zone.database = record.database AND zone.id = record.zone WHERE record.database = ?
            """, [database]
        ) { row in
            let name = "record \(row.text(1)) in zone \(row.text(0))"
            var named: Set<AssetID> = []
            if row.integer(3) == 0 {
                do {
                    let fields = try [String: Field].decode(try JSONValue(parsing: row.data(2)))
                    named = Set(fields.values.flatMap { AssetFields.list(of: $0.value) }.compactMap { $0.receipt.flatMap(AssetID.init(text:)) })
                } catch { faults.append("\(name) has fields that cannot be read: \(error)") }
            }
            let kept = try connection.rows(
                """
                SELECT asset_use.asset FROM asset_use JOIN asset ON asset.database = asset_use.database AND asset.id = asset_use.asset
                WHERE asset_use.database = ? AND asset_use.zone = ? AND asset_use.record = ?
                """, [database, .integer(row.integer(4)), .text(row.text(1))]
            ) { $0.data(0) }
            if Set(kept) != Set(named.map(\.bytes)) { faults.append("\(name) names \(named.count) files, \(kept.count) are kept for it") }
            return true
        }
        return faults
    }
}
