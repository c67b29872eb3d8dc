import SluiceRecords
import SluiceSQLite

/// A row of `zone`.
struct ZoneRow {
    let key: WriteTransaction.ZoneKey
    let name: String
    let nonce: UInt64
    let sequence: Int64
    let headNonce: UInt64
    /// Tombstones up to here may be forgotten.
    let purged: Int64
    let changed: Int64
    let isDeleted: Bool
    let reason: ZoneDeletionReason?
    /// The zones of this name that there were before.
    let former: FormerZones
    /// The record name of the zone's owner.
    let owner: String

    private static let columns = """
        SELECT zone.id, zone.name, zone.nonce, zone.sequence, zone.head_nonce, zone.purged, zone.changed, zone.is_deleted, zone.reason,
        zone.former, database.record_name FROM zone JOIN database ON database.id = zone.database WHERE zone.database = ?
        """

    private init(_ row: any TableRow, database: DatabaseID) {
        key = WriteTransaction.ZoneKey(database: database.rawValue, zone: row.integer(0))
        name = row.text(1)
        nonce = row.bits(2)
        sequence = row.integer(3)
        headNonce = row.bits(4)
        purged = row.integer(5)
        changed = row.integer(6)
        isDeleted = row.integer(7) != 0
        reason = ZoneDeletionReason(rawValue: row.text(8))
        former = FormerZones(text: row.text(9))
        owner = row.text(10)
    }

    /// A zone that is there; nil where it is not or was deleted, or where the owner is somebody else.
    static func live(_ zone: ZoneID, in database: DatabaseID, on connection: any TableConnection) throws -> ZoneRow? {
        guard let row = try any(zone.zoneName, in: database, on: connection), !row.isDeleted,
            zone.ownerRecordName == nil || zone.ownerRecordName == row.owner
        else { return nil }
        return row
    }

    static func any(_ name: String, in database: DatabaseID, on connection: any TableConnection) throws -> ZoneRow? {
        try connection.firstRow(query(name, in: database)) { ZoneRow($0, database: database) }
    }

    /// What `any` asks.
    static func query(_ name: String, in database: DatabaseID) -> TableQuery {
        TableQuery("\(columns) AND zone.name = ?", [.integer(database.rawValue), .text(name)])
    }

    static func all(in database: DatabaseID, on connection: any TableConnection) throws -> [ZoneRow] {
        try connection.rows("\(columns) AND zone.is_deleted = 0 ORDER BY zone.id", [.integer(database.rawValue)]) { ZoneRow($0, database: database) }
    }

    /// Custom zones after a position of the database's feed, deleted ones too.
    static func changed(after sequence: Int64, limit: Int, in database: DatabaseID, on connection: any TableConnection) throws -> [ZoneRow] {
        try connection.rows(
            "\(columns) AND zone.changed > ? AND zone.id <> ? ORDER BY zone.changed LIMIT ?",
            [.integer(database.rawValue), .integer(sequence), .integer(ServiceFile.defaultZone), .integer(Int64(limit))]
        ) { ZoneRow($0, database: database) }
    }

    var zoneID: ZoneID { ZoneID(name, ownerRecordName: owner) }

    /// Where a reader of everything stands.
    func headToken(_ epoch: Epoch) -> SyncToken { SyncToken(.zone, epoch: epoch, origin: nonce, sequence: sequence, nonce: headNonce) }

    func zone(_ epoch: Epoch) -> Zone {
        isDeleted
            ? Zone(zoneID, isDeleted: true, deletionReason: reason ?? .deleted)
            : Zone(zoneID, syncToken: zoneID.isDefault ? nil : headToken(epoch).text)
    }
}

extension WriteTransaction {
    func modifyZone(_ operation: ZoneOperation, in database: DatabaseID, epoch: Epoch) throws -> ZoneResult {
        let name = operation.zoneID.zoneName
        guard RequestRules.isCustomZoneName(name) else {
            return .failure(operation.zoneID, ServerError(.badRequest, "the zone '\(name)' cannot be created or deleted"))
        }
        let row = try ZoneRow.any(name, in: database, on: connection)
        switch operation.kind {
        case .create: return .zone(try createZone(name, over: row, in: database, epoch: epoch))
        case .delete:
            guard let row, !row.isDeleted else {
                return .failure(operation.zoneID, ServerError(.zoneNotFound, StorageError.zoneNotFound(operation.zoneID).description))
            }
            let reason = operation.deletionReason ?? .deleted
            try deleteZone(row, reason)
            return .zone(Zone(row.zoneID, isDeleted: true, deletionReason: reason))
        }
    }

    /// A zone that is there already is a success. One that was deleted begins a new history: a new nonce, so no old token fits.
    private func createZone(_ name: String, over row: ZoneRow?, in database: DatabaseID, epoch: Epoch) throws -> Zone {
        if let row, !row.isDeleted { return row.zone(epoch) }
        if let row {
            let former = row.former.adding(row.nonce, row.reason ?? .deleted)
            try connection.write(
                """
                UPDATE zone SET nonce = ?, sequence = 0, head_nonce = ?, purged = 0, is_deleted = 0, reason = NULL, former = ?
                    WHERE database = ? AND id = ?
                """,
                [SQLiteValue(bits: nonce), SQLiteValue(bits: nonce), .text(former.text), .integer(row.key.database), .integer(row.key.zone)])
            restart(row.key)
        } else {
            let id = try connection.integer("SELECT max(id) FROM zone WHERE database = ?", [.integer(database.rawValue)]) + 1
            try connection.write(
                "INSERT INTO zone VALUES (?, ?, ?, ?, 0, ?, 0, 0, 0, NULL, NULL)",
                [.integer(database.rawValue), .integer(id), .text(name), SQLiteValue(bits: nonce), SQLiteValue(bits: nonce)])
            restart(ZoneKey(database: database.rawValue, zone: id))
        }
        guard let created = try ZoneRow.any(name, in: database, on: connection) else {
            throw StorageError.unavailable("zone row vanished in its own transaction")
        }
        return created.zone(epoch)
    }

    private func deleteZone(_ row: ZoneRow, _ reason: ZoneDeletionReason) throws {
        let key: [SQLiteValue] = [.integer(row.key.database), .integer(row.key.zone)]
        let bytes = try connection.integer("SELECT CAST(coalesce(sum(bytes), 0) AS bigint) FROM record WHERE database = ? AND zone = ?", key)
        try connection.write("DELETE FROM record WHERE database = ? AND zone = ?", key)
        try connection.write("DELETE FROM reference WHERE database = ? AND zone = ?", key)
        try connection.write("DELETE FROM commit_log WHERE database = ? AND zone = ?", key)
        try dropAssetUses(in: row.key)
        try connection.write(
            "UPDATE zone SET is_deleted = 1, sequence = 0, reason = ? WHERE database = ? AND id = ?", [.text(reason.rawValue)] + key)
        addBytes(-bytes, to: row.key.database)
        restart(row.key)
    }
}
