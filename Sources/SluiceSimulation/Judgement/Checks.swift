// What must hold of a device at any moment, and of all of them at the end.

import SluiceRecords
import SluiceSchema
import SluiceSQLite
import SluiceStore
import SluiceSync

enum Checks {
    /// I-7: references and uniqueness.
    static func structure(of device: SimulatedDevice) throws -> [String] {
        guard let connection = device.store?.connection else { return [] }
        var faults = try connection.rows("PRAGMA foreign_key_check") { "dangling reference in \($0.text(0))" }
        if try connection.integer("SELECT count(*) - count(DISTINCT label) FROM Tag") > 0 { faults.append("two tags with one label") }
        if try connection.integer("SELECT count(*) FROM Box WHERE shelf IS NULL") > 0 { faults.append("a box without a shelf") }
        if try connection.integer("SELECT count(*) FROM Box_tags WHERE source IS NULL OR target IS NULL") > 0 { faults.append("half a pair") }
        return faults.map { "I-7 device \(device.index): \($0)" }
    }

    /// Why a device is not in step yet; nil where it is.
    static func unrest(of device: SimulatedDevice, head: String?) throws -> String? {
        guard let store = device.store, let journal = device.journal else { return "it is down" }
        guard device.core.isQuiet else { return "its core is \(device.core.state)" }
        let summary = try store.outboxSummary(at: device.clock.now)
        if summary.pendingCount + summary.setAsideCount + summary.frozenCount > 0 { return "it has \(summary)" }
        if summary.inboxCount + summary.parkedCount > 0 {
            return "its inbox holds \(try store.inbox(limit: 9).map { "\($0.name): \($0.reason)" })"
        }
        if try journal.token != head { return "its token is \(try journal.token ?? "none"), the feed ends at \(head ?? "nothing")" }
        return nil
    }

    /// I-3: what differs between a device and the service.
    static func difference(_ device: SimulatedDevice, _ live: [Record]) throws -> [String] {
        var mine: Set<String> = []
        try device.journal?.forEachRecord { name, type, fields in mine.insert(text(type, name.text, fields)) }
        let theirs = Set(live.map { text($0.recordType ?? "", RecordName($0.recordName).text, $0.fields) })
        return mine.subtracting(theirs).sorted().map { "only here: \($0)" } + theirs.subtracting(mine).sorted().map { "only there: \($0)" }
    }

    private static func text(_ type: String, _ name: String, _ fields: [String: Field]) -> String {
        let kept = fields.filter { $0.key != RecordMapping.metadataField && $0.value.value != nil }.sorted { $0.key < $1.key }
        return "\(type) \(name) \(kept.map { "\($0.key)=\($0.value.value.map { "\($0)" } ?? "")" }.joined(separator: " "))"
    }

    static func digest(of records: [Record]) throws -> String {
        var digest = RecordDigest()
        for record in records { try digest.add(name: record.recordName, type: record.recordType ?? "", fields: record.fields) }
        return digest.text
    }
}
