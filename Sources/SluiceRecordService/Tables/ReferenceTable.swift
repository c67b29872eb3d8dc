// References that bind: DELETE_SELF goes with its target, VALIDATE keeps its target from going. NONE references are plain values and
// stand in no table. Both kinds bind inside one zone only.

import Foundation
import SluiceRecords
import SluiceSQLite

extension WriteTransaction {
    private enum Binding {
        static let deleteSelf: Int64 = 1
        static let validate: Int64 = 2
        /// Sources that may point at one target.
        static let sourceCountMax: Int64 = 750
        /// Records that one deletion may take along.
        static let cascadeCountMax = 10_000
    }

    /// Brings the table up to a record's new fields.
    /// - Returns: why the references may not be; nil where they may.
    func updateReferences(of source: String, from old: Data?, to new: Data, in zone: ZoneRow) throws -> ServerError? {
        guard Self.mayBind(old ?? Data()) || Self.mayBind(new) else { return nil }
        let key: [SQLiteValue] = [.integer(zone.key.database), .integer(zone.key.zone)]
        try connection.write("DELETE FROM reference WHERE database = ? AND zone = ? AND source = ?", key + [.text(source)])
        for reference in try Self.bindings(in: new, zone) {
            if reference.action == .validate, try RecordRow.load(reference.recordName, in: zone.key, on: connection)?.existing.isDeleted ?? true {
                return ServerError(.validatingReferenceError, "the target of a validating reference does not exist")
            }
            try connection.write(
                """
                INSERT INTO reference(database, zone, target, source, action) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT(database, zone, target, source) DO UPDATE
                SET action = CASE WHEN excluded.action > reference.action THEN excluded.action ELSE reference.action END
                """,
                key + [
                    .text(reference.recordName), .text(source), .integer(reference.action == .validate ? Binding.validate : Binding.deleteSelf),
                ])
            let count = try connection.integer(
                "SELECT count(*) FROM reference WHERE database = ? AND zone = ? AND target = ?", key + [.text(reference.recordName)])
            if count > Binding.sourceCountMax {
                return ServerError(.badRequest, "more than \(Binding.sourceCountMax) references point at one record")
            }
        }
        return nil
    }

    /// Deletes a record and those whose DELETE_SELF reference points at it, and so on.
    func deleteCascading(_ name: String, _ row: RecordRow, in zone: ZoneRow, device: String) throws -> RecordResult {
        let key: [SQLiteValue] = [.integer(zone.key.database), .integer(zone.key.zone)]
        var waiting = [name]
        var found: Set<String> = [name]
        while let target = waiting.popLast() {
            let sources = try connection.rows(
                "SELECT source, action FROM reference WHERE database = ? AND zone = ? AND target = ?", key + [.text(target)]
            ) { (name: $0.text(0), action: $0.integer(1)) }
            if sources.contains(where: { $0.action == Binding.validate && !found.contains($0.name) }) {
                return .failure(
                    recordName: name,
                    ServerError(.validatingReferenceError, "Record delete would violate validating reference, rejecting update"))
            }
            for source in sources where found.insert(source.name).inserted { waiting.append(source.name) }
            guard found.count <= Binding.cascadeCountMax else {
                let reason = "the deletion would take more than \(Binding.cascadeCountMax) records along"
                return .failure(recordName: name, ServerError(.badRequest, reason))
            }
        }
        let tombstone = try deleteRecord(name, row, in: zone, device: device)
        try connection.write("DELETE FROM reference WHERE database = ? AND zone = ? AND source = ?", key + [.text(name)])
        for source in found.subtracting([name]).sorted() {
            try connection.write("DELETE FROM reference WHERE database = ? AND zone = ? AND source = ?", key + [.text(source)])
            guard let row = try RecordRow.load(source, in: zone.key, on: connection), !row.existing.isDeleted else { continue }
            _ = try deleteRecord(source, row, in: zone, device: device)
        }
        return .record(tombstone)
    }

    /// Whether the fields can hold a binding reference at all: almost none do, and looking for the words is cheap.
    private static func mayBind(_ fieldsJSON: Data) -> Bool {
        StoredWords.contains(#""DELETE_SELF""#, in: fieldsJSON) || StoredWords.contains(#""VALIDATE""#, in: fieldsJSON)
    }

    private static func bindings(in fieldsJSON: Data, _ zone: ZoneRow) throws -> [Reference] {
        let fields = try [String: Field].decode(try JSONValue(parsing: fieldsJSON))
        let references = fields.values.flatMap { field -> [Reference] in
            switch field.value {
            case .reference(let reference): [reference]
            case .referenceList(let list): list
            default: []
            }
        }
        return references.filter { $0.action != .none && ($0.zoneID == nil || $0.zoneID?.zoneName == zone.name) }
            .sorted { $0.recordName < $1.recordName }
    }
}
