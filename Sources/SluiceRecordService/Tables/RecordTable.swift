import Foundation
import SluiceRecords
import SluiceSQLite

/// A row of `record` as the writer sees it.
struct RecordRow {
    /// 0 where rows have none.
    let number: Int64
    let existing: ExistingRecord

    private static let columns = "type, sequence, nonce, is_deleted, fields, bytes, created, created_device FROM record"
    private static let numbered = "SELECT id, \(columns) WHERE \(byName)"
    private static let named = "SELECT 0, \(columns) WHERE \(byName)"
    static let byName = "database = ? AND zone = ? AND name = ?"

    /// What `load` asks.
    static func query(_ name: String, in zone: WriteTransaction.ZoneKey, on connection: any TableConnection) -> TableQuery {
        TableQuery(connection.hasRowNumbers ? numbered : named, [.integer(zone.database), .integer(zone.zone), .text(name)])
    }

    static func load(_ name: String, in zone: WriteTransaction.ZoneKey, on connection: any TableConnection) throws -> RecordRow? {
        try connection.firstRow(query(name, in: zone, on: connection)) { row in
            RecordRow(
                number: row.integer(0),
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

    init(row: any TableRow, zone: ZoneRow) {
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

    private static let update = """
        UPDATE record SET type = ?, sequence = ?, nonce = ?, fields = ?, parent = ?, bytes = ?, is_deleted = 0, created = ?,
        created_device = ?, modified = ?, modified_device = ? WHERE
        """
    private static let updateByNumber = "\(update) id = ?"
    private static let updateByName = "\(update) \(RecordRow.byName)"
    private static let bury = """
        UPDATE record SET sequence = ?, nonce = ?, fields = ?, parent = NULL, bytes = 0, is_deleted = 1, modified = ?, modified_device = ? WHERE
        """
    private static let buryByNumber = "\(bury) id = ?"
    private static let buryByName = "\(bury) \(RecordRow.byName)"

    /// The values that find a row that was loaded. Its row is written now: what was read ahead of it is not true any more.
    private func place(of name: String, _ row: RecordRow, _ zone: ZoneRow) -> [SQLiteValue] {
        if connection.readsAhead { connection.forget(RecordRow.query(name, in: zone.key, on: connection)) }
        return connection.hasRowNumbers ? [.integer(row.number)] : [.integer(zone.key.database), .integer(zone.key.zone), .text(name)]
    }

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
            try connection.write(connection.hasRowNumbers ? Self.updateByNumber : Self.updateByName, values + place(of: record.recordName, row, zone))
        } else {
            try connection.write(
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
        try connection.write(
            """
            INSERT INTO record(type, sequence, nonce, fields, bytes, is_deleted, created, created_device, modified, modified_device,
            database, zone, name) VALUES ('', ?, ?, ?, 0, 1, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(sequence), SQLiteValue(bits: nonce), .blob(Data()), .integer(now), .text(device), .integer(now), .text(device),
                .integer(zone.key.database), .integer(zone.key.zone), .text(name),
            ])
        return Record(name, isDeleted: true, zoneID: zone.zoneID)
    }

    /// Turns a record into a tombstone, which takes no room in the quota.
    func deleteRecord(_ name: String, _ row: RecordRow, in zone: ZoneRow, device: String) throws -> Record {
        let sequence = nextSequence(in: zone)
        try connection.write(
            connection.hasRowNumbers ? Self.buryByNumber : Self.buryByName,
            [.integer(sequence), SQLiteValue(bits: nonce), .blob(Data()), .integer(now), .text(device)] + place(of: name, row, zone))
        addBytes(-row.existing.bytes, to: zone.key.database)
        try updateAssetUses(of: name, from: row.existing.fieldsJSON, to: Data(), in: zone.key)
        return Record(
            name, type: row.existing.recordType, changeTag: ChangeTag(sequence: sequence, nonce: nonce).text, isDeleted: true, zoneID: zone.zoneID)
    }
}
