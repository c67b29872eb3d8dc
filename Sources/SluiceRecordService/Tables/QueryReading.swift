import Foundation
import SluiceRecords
import SluiceSQLite

/// What readers see of queries. Rows stream by in the order of their names; only a page's places are kept, and its records read afterwards.
struct QueryReading {
    let connection: any TableConnection

    func page(_ command: QueryCommand, in database: DatabaseID) throws -> QueryPage {
        let zones = try zones(command, in: database)
        var first = FirstPlaces(order: command.rules.order, count: command.limit + 1)
        let stop = try scan(zones, command, into: &first)
        var page = QueryPage(records: [], next: nil)
        var bytes = 0
        for (index, place) in first.places.enumerated() {
            if index == command.limit || bytes > command.bytes {
                page.next = first.places[index - 1]
                return page
            }
            guard let zone = zones.first(where: { $0.name == place.zone }), let record = try record(place.recordName, in: zone) else { continue }
            bytes += record.fieldsJSON.count
            page.records.append(record)
        }
        page.next = stop
        return page
    }

    /// In the order of their names' bytes, so that a marker means the same when zones have come or gone.
    private func zones(_ command: QueryCommand, in database: DatabaseID) throws -> [ZoneRow] {
        guard let zone = command.zone else {
            return try ZoneRow.all(in: database, on: connection).sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        }
        guard let row = try ZoneRow.live(zone, in: database, on: connection) else { throw StorageError.zoneNotFound(zone) }
        return [row]
    }

    /// - Returns: where it stopped before the end without filling the page; nil where it did not.
    private func scan(_ zones: [ZoneRow], _ command: QueryCommand, into first: inout FirstPlaces) throws -> QueryPlace? {
        let isSorted = !command.rules.query.sorts.isEmpty
        var (examined, bytes) = (0, 0)
        for zone in zones {
            var after = ""
            if !isSorted, let place = command.after {
                if zone.name.utf8.lexicographicallyPrecedes(place.zone.utf8) { continue }
                if zone.name == place.zone { after = place.recordName }
            }
            let matcher = QueryMatcher(command.rules, zone: zone.name)
            var (isOver, stop) = (false, QueryPlace?.none)
            try connection.scan(
                """
                SELECT name, created, created_device, modified, modified_device, parent, fields FROM record
                WHERE database = ? AND zone = ? AND name > ? AND type = ? AND is_deleted = 0 ORDER BY name
                """, [.integer(zone.key.database), .integer(zone.key.zone), .text(after), .text(command.rules.query.recordType)]
            ) { row in
                examined += 1
                // Its time is over, and somebody else waits for this connection.
                if Task.isCancelled { throw StorageError.overloaded }
                if isSorted, examined > command.sorted || bytes > command.sortedBytes {
                    throw StorageError.queryRefused("the type has more records than a sorted query may look at; ask without a sort")
                }
                let head = Self.head(row, zone)
                let candidate = QueryCandidate(head: head) {
                    let fields = row.data(6)
                    bytes += fields.count
                    return fields
                }
                let place = try matcher.place(of: candidate)
                if let place, command.after.map({ command.rules.order.precedes($0, place) }) ?? true { first.insert(place) }
                guard !isSorted else { return true }
                isOver = first.places.count > command.limit
                if !isOver, examined == command.examined || bytes > command.examinedBytes {
                    stop = QueryPlace(zone: zone.name, recordName: head.recordName)
                }
                return !isOver && stop == nil
            }
            if isOver || stop != nil { return stop }
        }
        return nil
    }

    private static func head(_ row: any TableRow, _ zone: ZoneRow) -> Record {
        var head = Record(row.text(0))
        head.created = RecordStamp(timestamp: row.integer(1), userRecordName: zone.owner, deviceID: row.text(2))
        head.modified = RecordStamp(timestamp: row.integer(3), userRecordName: zone.owner, deviceID: row.text(4))
        head.parent = row.isNull(5) ? nil : row.text(5)
        return head
    }

    private func record(_ name: String, in zone: ZoneRow) throws -> StoredRecord? {
        try connection.firstRow(
            "SELECT \(StoredRecord.columns) FROM record WHERE database = ? AND zone = ? AND name = ?",
            [.integer(zone.key.database), .integer(zone.key.zone), .text(name)]
        ) { StoredRecord(row: $0, zone: zone) }
    }
}
