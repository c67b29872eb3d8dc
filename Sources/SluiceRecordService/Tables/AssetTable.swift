// Uploaded files and the records that refer to them. `uses` counts the rows of `asset_use`, so that the collector finds what nobody uses
// without looking at everything else; both change in the transaction of the record.

import Foundation
import SluiceRecords
import SluiceSQLite

/// What is read of files, by readers and by the writer.
struct AssetReading {
    let connection: any TableConnection

    func hasUnused(since time: Int64) throws -> Bool {
        let sql = "/* global: files of anybody that nobody refers to */ SELECT EXISTS(SELECT 1 FROM asset WHERE uses = 0 AND touched < ?)"
        return try connection.integer(sql, [.integer(time)]) == 1
    }

    func asset(_ asset: AssetID, in database: Int64) throws -> StoredAsset? {
        try connection.firstRow(
            "SELECT digest, bytes FROM asset WHERE database = ? AND id = ?", [.integer(database), .blob(asset.bytes)]
        ) { StoredAsset(id: asset, digest: $0.data(0), byteCount: $0.integer(1)) }
    }
}

extension WriteTransaction {
    func addAsset(_ asset: StoredAsset, quota: Int64, in database: DatabaseID) throws {
        guard try bytes(of: database.rawValue) + asset.byteCount <= quota else { throw StorageError.quotaExceeded }
        try connection.write(
            "INSERT INTO asset(database, id, digest, bytes, uses, touched) VALUES (?, ?, ?, ?, 0, ?)",
            [.integer(database.rawValue), .blob(asset.id.bytes), .blob(asset.digest), .integer(asset.byteCount), .integer(now)])
        addBytes(asset.byteCount, to: database.rawValue)
    }

    func keepAsset(_ asset: AssetID, in database: DatabaseID) throws -> StoredAsset? {
        try connection.write(
            "UPDATE asset SET touched = ? WHERE database = ? AND id = ?", [.integer(now), .integer(database.rawValue), .blob(asset.bytes)])
        return try AssetReading(connection: connection).asset(asset, in: database.rawValue)
    }

    /// - Parameter database: nil for all, where the writer has all of them to itself.
    func forgetAssets(unusedSince time: Int64, limit: Int, in database: DatabaseID? = nil) throws -> [ForgottenAsset] {
        let columns = "SELECT database, id, bytes FROM asset WHERE uses = 0 AND touched < ?"
        let unused = try connection.rows(
            database == nil ? "\(columns) ORDER BY touched LIMIT ?" : "\(columns) AND database = ? ORDER BY touched LIMIT ?",
            [.integer(time)] + (database.map { [.integer($0.rawValue)] } ?? []) + [.integer(Int64(limit))]
        ) { (database: $0.integer(0), id: $0.data(1), bytes: $0.integer(2)) }
        return try unused.compactMap { row in
            try connection.write("DELETE FROM asset WHERE database = ? AND id = ?", [.integer(row.database), .blob(row.id)])
            addBytes(-row.bytes, to: row.database)
            return AssetID(bytes: row.id).map { ForgottenAsset(database: DatabaseID(rawValue: row.database), asset: $0) }
        }
    }

    // MARK: Who refers to what

    /// Brings the tables up to a record's new fields.
    func updateAssetUses(of record: String, from old: Data, to new: Data, in zone: ZoneKey) throws {
        guard AssetFields.mayHold(old) || AssetFields.mayHold(new) else { return }
        let (before, after) = (try AssetFields.assets(in: old), try AssetFields.assets(in: new))
        for asset in before.subtracting(after).sorted(by: { $0.description < $1.description }) {
            let count = try connection.run(
                "DELETE FROM asset_use WHERE database = ? AND zone = ? AND record = ? AND asset = ?",
                [.integer(zone.database), .integer(zone.zone), .text(record), .blob(asset.bytes)])
            try changeUses(of: asset, by: -Int64(count), in: zone.database)
        }
        for asset in after.subtracting(before).sorted(by: { $0.description < $1.description }) {
            let count = try connection.run(
                "INSERT INTO asset_use(database, zone, record, asset) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                [.integer(zone.database), .integer(zone.zone), .text(record), .blob(asset.bytes)])
            try changeUses(of: asset, by: Int64(count), in: zone.database)
        }
    }

    private func changeUses(of asset: AssetID, by count: Int64, in database: Int64) throws {
        try connection.write(
            "UPDATE asset SET uses = uses + ?, touched = ? WHERE database = ? AND id = ?",
            [.integer(count), .integer(now), .integer(database), .blob(asset.bytes)])
    }

    /// When all records of a zone go.
    func dropAssetUses(in zone: ZoneKey) throws {
        let key: [SQLiteValue] = [.integer(zone.database), .integer(zone.zone)]
        try connection.write(
            """
            UPDATE asset SET touched = ?, uses = uses - (
                SELECT count(*) FROM asset_use WHERE asset_use.database = asset.database AND asset_use.zone = ? AND asset_use.asset = asset.id)
            WHERE database = ? AND id IN (SELECT asset FROM asset_use WHERE database = ? AND zone = ?)
            """, [.integer(now), .integer(zone.zone), .integer(zone.database)] + key)
        try connection.write("DELETE FROM asset_use WHERE database = ? AND zone = ?", key)
    }
}
