// The end of a feed. Everything that waited is there now, or never comes:
// 1. Records that only miss optional references are written with those references empty, so that cycles can close; those that require each
//    other too, where all of them have come (RequiredCycles).
// 2. Every record is applied again. Two records with the same unique values: UniqueConflict decides.
// 3. A reference to a record that is known to be deleted becomes empty where it is optional, and takes its own record along where it is
//    required; the service is told (LostReferences).
// 4. References that still point nowhere stay empty where they are optional, and the record waits on, parked, in case the target comes later.
//    A required reference that points nowhere keeps its record from being written: parked and shown.

import Foundation
import SluiceRecords
import SluiceSQLite
import SluiceSchema
import SluiceStore

struct InboxResolution {
    let journal: SyncJournal

    private static let batch = 500
    /// Required references in a row that one feed's end follows; longer chains go on at the next.
    private static let chainLengthMax = 32

    func run(_ applier: inout RecordApplier) throws {
        guard try !journal.store.inbox(limit: 1).isEmpty else { return }
        try forEach { _, record in if !record.isDeleted { try vacate(record, applier) } }
        try writeWhatCanBe(&applier)
        let circle = try writeCycles(&applier)
        try forEach { entry, record in
            // A record of a type that this device does not know was judged when it came, and waits for a schema that does.
            guard !record.isDeleted, isOfKnownType(record), case .waiting(let reason) = try applier.apply(record, evenIfKnown: true) else {
                return
            }
            if try UniqueConflict(journal: journal).resolve(record, with: &applier) { return }
            // The other references of it may have found their targets since it was written.
            try writeApartFromMissing(record, &applier)
            if try LostReferences(journal: journal).settle(record, with: applier) { return }
            try park(entry, record, reason: reason)
        }
        try withdraw(circle)
        try forEach { entry, record in if record.isDeleted { try applier.applyDeletion(of: entry.name) } }
    }

    private func writeApartFromMissing(_ record: Record, _ applier: inout RecordApplier) throws {
        applier.clearsMissingReferences = true
        defer { applier.clearsMissingReferences = false }
        try applier.apply(record, evenIfKnown: true, keepsWaiting: true)
    }

    /// Again and again as long as it helps: a record may require one that is behind it in the inbox.
    private func writeWhatCanBe(_ applier: inout RecordApplier) throws {
        applier.clearsMissingReferences = true
        defer { applier.clearsMissingReferences = false }
        var previous = 0
        for _ in 0..<Self.chainLengthMax {
            var written = 0
            var waiting = 0
            try forEach { _, record in
                guard !record.isDeleted, isOfKnownType(record) else { return }
                let outcome = try isWritten(record) ? .applied : applier.apply(record, evenIfKnown: true, keepsWaiting: true)
                if outcome == .applied { written += 1 } else { waiting += 1 }
            }
            guard waiting > 0, written > previous else { return }
            previous = written
        }
    }

    private func isOfKnownType(_ record: Record) -> Bool { record.recordType.flatMap(journal.mapping.entity) != nil }

    /// Whether this version of the record is in the store, as far as it can be.
    func isWritten(_ record: Record) throws -> Bool {
        let name = RecordName(record.recordName)
        guard let tag = record.changeTag, try journal.store.recordState(of: name)?.tag == tag else { return false }
        return try journal.store.row(named: name) != nil && !journal.store.awaitsLookup(name)
    }

    /// Rows that exchange unique values stand in each other's way only because one of them is first: each gives up its old value before the
    /// new ones are written.
    private func vacate(_ record: Record, _ applier: RecordApplier) throws {
        guard let incoming = journal.mapping.incoming(record), let row = try journal.store.row(named: RecordName(record.recordName)),
            row.table == incoming.entity.table
        else { return }
        let cells = try applier.storedCells(incoming.cells, of: incoming.entity).0
        guard try journal.store.pendingChange(of: RecordName(record.recordName)) == nil,
            let holder = try journal.store.conflictingRow(incoming.entity, cells: cells, except: row),
            let other = try journal.store.name(of: holder), try journal.store.inboxHolds(other)
        else { return }
        let unique = Set(incoming.entity.uniqueness.joined())
        try journal.store.updateRow(row, of: incoming.entity, cells: unique.sorted().map { Cell(column: $0, value: .null) })
    }

    func forEach(_ body: (InboxRecord, Record) throws -> Void) throws {
        var last: RecordName?
        while true {
            let entries = try journal.store.inbox(limit: Self.batch, after: last)
            for entry in entries { try body(entry, try Record(decoding: entry.body)) }
            last = entries.last?.name
            if entries.count < Self.batch { return }
        }
    }

    private func park(_ entry: InboxRecord, _ record: Record, reason: String) throws {
        try journal.store.keepInInbox(entry.name, type: record.recordType, body: entry.body, reason: reason, isParked: true)
        // What waits for a lookup to be merged cannot be: it is shown, and tried again when the record can be applied.
        if try journal.store.awaitsLookup(entry.name) { try journal.store.setAside(entry.name, reason: reason) }
    }
}
