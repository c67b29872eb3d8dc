import SluiceRecords
import SluiceSchema
import SluiceSQLite
import SluiceStore

@testable import SluiceSync

extension RandomRun {
    /// What is wrong after a run; empty where all is well.
    func faults() throws -> [String] {
        var faults: [String] = []
        let service = try zone.digest()
        let head = try zone.changes(after: nil, pageSize: .max).syncToken
        for (index, device) in devices.enumerated() {
            let summary = try device.store.outboxSummary(at: .max)
            if try device.journal.digest().text != service { faults.append("I-3 device \(index) differs: \(try difference(device))") }
            if summary.pendingCount + summary.setAsideCount + summary.frozenCount > 0 { faults.append("device \(index) still has \(summary)") }
            if summary.inboxCount + summary.parkedCount > 0 {
                faults.append("device \(index) inbox: \(try device.store.inbox(limit: 9).map { "\($0.name) \($0.reason)" })")
            }
            if !device.core.isQuiet { faults.append("device \(index) is not quiet: \(device.core.state)") }
            if try device.journal.token != head { faults.append("device \(index) is not at the head of the feed") }
            faults += try structure(of: device.store).map { "I-7 device \(index): \($0)" }
        }
        return try faults + promises()
    }

    private func difference(_ device: DeviceDouble) throws -> [String] {
        func text(_ fields: [String: Any]) -> String { fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ") }
        var mine: Set<String> = []
        try device.journal.forEachRecord { name, type, fields in
            mine.insert("\(type) \(name) \(text(fields.mapValues { $0.value.map { "\($0)" } ?? "nil" }))")
        }
        let theirs = Set(
            zone.live.map { record in
                let fields = record.fields.filter { $0.key != RecordMapping.metadataField }
                return "\(record.recordType ?? "") \(record.recordName) \(text(fields.mapValues { $0.value.map { "\($0)" } ?? "nil" }))"
            })
        return mine.subtracting(theirs).sorted().map { "only here: \($0)" } + theirs.subtracting(mine).sorted().map { "only there: \($0)" }
    }

    private func structure(of store: Store) throws -> [String] {
        var faults = try store.connection.rows("PRAGMA foreign_key_check") { "dangling reference in \($0.text(0))" }
        let labels = "SELECT count(*) - count(DISTINCT label) FROM Tag"
        if try store.connection.integer(labels) > 0 { faults.append("two tags with one label") }
        if try store.connection.integer("SELECT count(*) FROM Box WHERE shelf IS NULL") > 0 { faults.append("a box without a shelf") }
        if try store.connection.integer("SELECT count(*) FROM Box_tags WHERE source IS NULL OR target IS NULL") > 0 {
            faults.append("half a pair")
        }
        return faults
    }

    private func promises() throws -> [String] {
        let live = Set(zone.live.map { RecordName($0.recordName) })
        var faults: [String] = []
        for name in ledger.names {
            guard let fate = ledger.fates[name] else { continue }
            if let deletedAt = fate.deletedAt {
                // What bears a natural key, is a pair or was made anew under its name, another device may have made at the same time.
                guard deletedAt > fate.touchedAt, fate.insertionCount < 2, !["Topic", "Box_tags"].contains(fate.entity) else { continue }
                // While devices give a service back what it lost, one may send a record before it hears from another that it was deleted.
                if restoredAt != nil { continue }
                if live.contains(name) { faults.append("I-4 \(fate.entity) \(name), deleted in step \(deletedAt), is back") }
            } else if fate.insertedAt != nil, !live.contains(name) {
                guard try devices.allSatisfy({ try !isGoneForReason(name, fate, on: $0) }) else { continue }
                faults.append("I-1 \(fate.entity) \(name) of step \(fate.insertedAt ?? 0) is lost")
            }
        }
        return faults
    }

    /// Merged away, or gone with the row it belonged to.
    private func isGoneForReason(_ name: RecordName, _ fate: RunLedger.Fate, on device: DeviceDouble) throws -> Bool {
        if ["Tag", "Box_tags", "Box"].contains(fate.entity) { return true }
        return try device.store.connection.integer(
            "SELECT count(*) FROM _sluice_change WHERE kind = 2 AND origin IN (0, 2) AND id = ?", [name.stored]) > 0
    }
}
