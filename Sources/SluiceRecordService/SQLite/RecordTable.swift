import Foundation
import SluiceRecords
import SluiceSQLite

/// A row of `record` as the writer sees it.
struct RecordRow {
    let id: Int64
    let existing: ExistingRecord

    static func load(_ name: String, in zone: WriteTransaction.ZoneKey, on connection: Connection) throws -> RecordRow? {
        try connection.firstRow(
            """
            SELECT id, type, sequence, nonce, is_deleted, fields, bytes, created, created_device FROM record
            WHERE database = ? AND zone = ? AND name = ?
            """, [.integer(zone.database), .integer(zone.zone), .text(name)]
        ) { row in
            RecordRow(
                id: row.integer(0),
                existing: ExistingRecord(
                    recordType: row.text(1), changeTag: ChangeTag(sequence: row.integer(2), nonce: row.bits(3)),
                    isDeleted: row.integer(4) != 0, fieldsJSON: row.data(5), bytes: row.integer(6),
                    created: RecordStamp(timestamp: row.integer(7), deviceID: row.text(8))))
        }
    }
}

extension StoredRecord {
    /// The columns that `init(row:zone:)` reads.
    static let columns = "name, type, sequence, nonce, fields, parent, is_deleted, created, created_device, modified, modified_device"

    init(row: Statement, zone: ZoneRow) {
        let isDeleted = row.integer(6) != 0
        var head = Record(
            row.text(0), type: row.text(1), changeTag: ChangeTag(sequence: row.integer(2), nonce: row.bits(3)).text, isDeleted: isDeleted,
            zoneID: zone.zoneID)
        head.parent = row.isNull(5) ? nil : row.text(5)
        head.created = RecordStamp(timestamp: row.integer(7), userRecordName: zone.owner, deviceID: row.text(8))
        head.modified = RecordStamp(timestamp: row.integer(9), userRecordName: zone.owner, deviceID: row.text(10))
        self.init(head: head, fieldsJSON: isDeleted ? Data() : row.data(4))
    }
}

extension WriteTransaction {
    /// What one record takes beside its fields; a guess that keeps a million empty records from being free.
    private static let bytesPerRecord: Int64 = 64

    /// What a record of this name and these fields counts against the quota.
    static func bytes(_ name: String, _ fieldsJSON: Data) -> Int64 { Int64(fieldsJSON.count + name.utf8.count) + bytesPerRecord }

    func writeRecord(
        _ record: Record, type: String, fieldsJSON: Data, isNew: Bool, over row: RecordRow?, in zone: ZoneRow, device: String
    ) throws -> StoredRecord {
        let sequence = nextSequence(in: zone)
        let bytes = Self.bytes(record.recordName, fieldsJSON)
        let created = isNew ? RecordStamp(timestamp: now, deviceID: device) : row?.existing.created ?? RecordStamp(timestamp: now, deviceID: device)
        let values: [SQLiteValue] = [
            .text(type), .integer(sequence), SQLiteValue(bits: nonce), .blob(fieldsJSON), SQLiteValue(record.parent), .integer(bytes),
            .integer(created.timestamp), SQLiteValue(created.deviceID ?? ""), .integer(now), .text(device),
        ]
        if let row {
            try connection.run(
                """
                UPDATE record SET type = ?, sequence = ?, nonce = ?, fields = ?, parent = ?, bytes = ?, is_deleted = 0, created = ?,
                created_device = ?, modified = ?, modified_device = ? WHERE id = ?
                """, values + [.integer(row.id)])
        } else {
            try connection.run(
                """
                INSERT INTO record(type, sequence, nonce, fields, parent, bytes, is_deleted, created, created_device, modified,
                modified_device, database, zone, name) VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?)
                """, values + [.integer(zone.key.database), .integer(zone.key.zone), .text(record.recordName)])
        }
        addBytes(bytes - (row?.existing.bytes ?? 0), to: zone.key.database)
        try updateAssetUses(of: record.recordName, from: row?.existing.fieldsJSON ?? Data(), to: fieldsJSON, in: zone.key)
        var head = Record(
            record.recordName, type: type, changeTag: ChangeTag(sequence: sequence, nonce: nonce).text, zoneID: zone.zoneID)
        head.parent = record.parent
        head.created = RecordStamp(timestamp: created.timestamp, userRecordName: zone.owner, deviceID: created.deviceID)
        head.modified = RecordStamp(timestamp: now, userRecordName: zone.owner, deviceID: device)
        return StoredRecord(head: head, fieldsJSON: fieldsJSON)
    }

    /// Leaves a tombstone for a record that is not there.
    func buryUnknown(_ name: String, in zone: ZoneRow, device: String) throws -> Record {
        let sequence = nextSequence(in: zone)
        try connection.run(
            """
            INSERT INTO record(type, sequence, nonce, fields, bytes, is_deleted, created, created_device, modified, modified_device,
            database, zone, name) VALUES ('', ?, ?, x'', 0, 1, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(sequence), SQLiteValue(bits: nonce), .integer(now), .text(device), .integer(now), .text(device),
                .integer(zone.key.database), .integer(zone.key.zone), .text(name),
            ])
        return Record(name, isDeleted: true, zoneID: zone.zoneID)
    }

    /// Turns a record into a tombstone, which takes no room in the quota.
    func deleteRecord(_ name: String, _ row: RecordRow, in zone: ZoneRow, device: String) throws -> Record {
        let sequence = nextSequence(in: zone)
        try connection.run(
            """
            UPDATE record SET sequence = ?, nonce = ?, fields = x'', parent = NULL, bytes = 0, is_deleted = 1, modified = ?,
            modified_device = ? WHERE id = ?
            """, [.integer(sequence), SQLiteValue(bits: nonce), .integer(now), .text(device), .integer(row.id)])
        addBytes(-row.existing.bytes, to: zone.key.database)
        try updateAssetUses(of: name, from: row.existing.fieldsJSON, to: Data(), in: zone.key)
        return Record(
            name, type: row.existing.recordType, changeTag: ChangeTag(sequence: sequence, nonce: nonce).text, isDeleted: true, zoneID: zone.zoneID)
    }
}
