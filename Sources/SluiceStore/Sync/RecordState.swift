package import Foundation
import SluiceSQLite
package import SluiceSchema

/// What the service last said of one record.
package struct RecordState: Hashable, Sendable {
    /// The version on the service; nil for a record it has not acknowledged.
    package var tag: String?
    /// The name as the service spells it, where that differs from `RecordName.text`.
    package var wireName: String?
    /// Encoded merge metadata.
    package var meta: Data?
    /// Encoded fields that this device's schema does not know.
    package var extra: Data?

    package init(tag: String? = nil, wireName: String? = nil, meta: Data? = nil, extra: Data? = nil) {
        self.tag = tag
        self.wireName = wireName
        self.meta = meta
        self.extra = extra
    }

    init(_ statement: Statement, from column: Int32) {
        tag = statement.value(column).text
        wireName = statement.value(column + 1).text
        meta = statement.value(column + 2).blob
        extra = statement.value(column + 3).blob
    }
}

/// Where something is kept of a record: most have nothing anywhere, and one question tells.
package struct RecordTraces: Sendable {
    /// The change tag of the version that the service last told of.
    package let tag: String?
    /// Whether it has unsent changes.
    package let isPending: Bool
    /// Whether it is known to have been deleted.
    package let isBuried: Bool
    /// Whether a version or a deletion of it waits in the inbox.
    package let isWaiting: Bool
    /// Whether there is a row of that name, in whatever table.
    package let isHere: Bool
}

extension Store {
    package func traces(of name: RecordName) throws -> RecordTraces {
        try connection.firstRow(tracesQuery, [name.stored]) {
            RecordTraces(
                tag: $0.value(0).text, isPending: $0.integer(1) == 1, isBuried: $0.integer(2) == 1, isWaiting: $0.integer(3) == 1,
                isHere: $0.integer(4) == 1)
        } ?? RecordTraces(tag: nil, isPending: true, isBuried: true, isWaiting: true, isHere: true)
    }

    static func tracesQuery(in layout: StoredSchema) -> String {
        let rows = layout.tables.map { "EXISTS (SELECT 1 FROM \($0.sql) WHERE _id = ?1)" }
        return """
            SELECT (SELECT tag FROM _sluice_record WHERE id = ?1), EXISTS (SELECT 1 FROM _sluice_pending WHERE id = ?1),
                EXISTS (SELECT 1 FROM _sluice_tombstone WHERE id = ?1), EXISTS (SELECT 1 FROM _sluice_inbox WHERE id = ?1),
                \(rows.isEmpty ? "0" : rows.joined(separator: " OR "))
            """
    }

    /// Whether that version of the record is the one that the service last told of.
    package func isKnown(_ name: RecordName, tag: String) throws -> Bool {
        try connection.value("SELECT 1 FROM _sluice_record WHERE id = ? AND tag = ?", [name.stored, .text(tag)]) != nil
    }

    package func recordState(of name: RecordName) throws -> RecordState? {
        try connection.firstRow("SELECT tag, wire_name, meta, extra FROM _sluice_record WHERE id = ?", [name.stored]) {
            RecordState($0, from: 0)
        }
    }

    /// The record's name as the service spells it.
    package func wireName(of name: RecordName) throws -> String {
        try connection.value("SELECT wire_name FROM _sluice_record WHERE id = ?", [name.stored])?.text ?? name.text
    }

    /// - Parameter table: nil for a departed record.
    package func setRecordState(_ state: RecordState, of name: RecordName, table: Int?) throws {
        try setRecordStates(CollectionOfOne((name: name, table: table, state: state)))
    }

    func setRecordStates(_ states: some Sequence<(name: RecordName, table: Int?, state: RecordState)>) throws {
        try connection.run(
            """
            INSERT INTO _sluice_record(id, tbl, tag, wire_name, meta, extra) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                ON CONFLICT(id) DO UPDATE SET tbl = ?2, tag = ?3, wire_name = ?4, meta = ?5, extra = ?6
            """, forEach: states
        ) { statement, record in
            try statement.bind(record.name, at: 1)
            if let table = record.table { try statement.bind(tableNumbers[table], at: 2) }
            if let tag = record.state.tag { try statement.bind(tag, at: 3) }
            if let wireName = record.state.wireName { try statement.bind(wireName, at: 4) }
            if let meta = record.state.meta { try statement.bind(meta, at: 5) }
            if let extra = record.state.extra { try statement.bind(extra, at: 6) }
        }
    }

    package func removeRecordState(of name: RecordName) throws {
        try connection.run("DELETE FROM _sluice_record WHERE id = ?", [name.stored])
    }

    /// Calls `body` for each record of a table that has fields unknown to this device, which may change what is kept of that record.
    package func forEachUnknownFields(in table: Int, _ body: (RecordName, Data) throws -> Void) throws {
        let batch: Int64 = 500
        var last: SQLiteValue = .null
        while true {
            let page = try connection.rows(
                """
                SELECT id, extra FROM _sluice_record
                    WHERE tbl = ?1 AND extra IS NOT NULL AND (?2 IS NULL OR id > ?2) ORDER BY id LIMIT ?3
                """, [.integer(tableNumbers[table]), last, .integer(batch)]) { ($0.value(0), $0.value(1).blob ?? Data()) }
            for (id, extra) in page { if let name = RecordName(stored: id) { try body(name, extra) } }
            guard let end = page.last, page.count == batch else { return }
            last = end.0
        }
    }

    // MARK: A full fetch

    /// Notes that the full fetch of that number met the record.
    package func markSeen(_ name: RecordName, fetch: Int64) throws {
        try connection.run("UPDATE _sluice_record SET seen = ? WHERE id = ? AND seen <> ?1", [.integer(fetch), name.stored])
    }

    /// Records that the service acknowledged once and that the full fetch of that number did not meet.
    package func recordsNotSeen(fetch: Int64, limit: Int) throws -> [RecordName] {
        try connection.rows(
            "SELECT id FROM _sluice_record WHERE tag IS NOT NULL AND seen < ? ORDER BY id LIMIT ?", [.integer(fetch), SQLiteValue(limit)]
        ) { RecordName(stored: $0.value(0)) }.compactMap { $0 }
    }

    /// Whether the service acknowledged the record once and the full fetch of that number has not met it.
    package func isAcknowledged(_ name: RecordName, notSeenBy fetch: Int64) throws -> Bool {
        try connection.value(
            "SELECT 1 FROM _sluice_record WHERE id = ? AND tag IS NOT NULL AND seen < ?", [name.stored, .integer(fetch)]) != nil
    }

    /// Forgets every change tag: the service that gave them is gone, or has another past.
    package func forgetTags() throws { try connection.run("UPDATE _sluice_record SET tag = NULL WHERE tag IS NOT NULL") }

    // MARK: Tombstones

    /// - Parameter table: nil for a departed record, whose deletion nobody here has to know.
    package func rememberDeletion(of name: RecordName, table: Int?) throws {
        guard let table else { return }
        let milliseconds = nowMilliseconds
        try connection.run(
            "INSERT INTO _sluice_tombstone(id, tbl, at) VALUES (?1, ?2, ?3) ON CONFLICT(id) DO UPDATE SET at = ?3",
            [name.stored, .integer(tableNumbers[table]), .integer(milliseconds)])
    }

    package func forgetDeletion(of name: RecordName) throws {
        try connection.run("DELETE FROM _sluice_tombstone WHERE id = ?", [name.stored])
    }

    /// When the record was deleted, in milliseconds since 1970; nil where no deletion is known.
    package func deletion(of name: RecordName) throws -> Int64? {
        try connection.value("SELECT at FROM _sluice_tombstone WHERE id = ?", [name.stored])?.integer
    }

    /// Tombstones older than `milliseconds` are dropped (they are kept for 90 days).
    package func pruneTombstones(before milliseconds: Int64) throws {
        try connection.run("DELETE FROM _sluice_tombstone WHERE at < ?", [.integer(milliseconds)])
    }
}
