// The end of a feed. Everything that waited is there now, or never comes:
// 1. Records that only miss references are written with those references empty, so that cycles can close.
// 2. Every record is applied again; references that still point nowhere stay empty where they are optional, and the record waits on,
//    parked, in case the target comes later. A required reference that points nowhere keeps its row out of sight: parked and shown.
// 3. Two records with the same unique values: UniqueConflict decides.

import Foundation
import SluiceRecords
import SluiceSQLite
import SluiceSchema
import SluiceStore

struct InboxResolution {
    let journal: SyncJournal

    private static let batch = 500

    func run(_ applier: inout RecordApplier) throws {
        guard try !journal.store.inbox(limit: 1).isEmpty else { return }
        applier.clearsMissingReferences = true
        try forEach { _, record in _ = try applier.apply(record, evenIfKnown: true, keepsWaiting: true) }
        applier.clearsMissingReferences = false
        try forEach { entry, record in
            guard case .waiting(let reason) = try applier.apply(record, evenIfKnown: true) else { return }
            if try UniqueConflict(journal: journal).resolve(record, with: &applier) { return }
            try park(entry, record, reason: reason)
        }
    }

    private func forEach(_ body: (InboxRecord, Record) throws -> Void) throws {
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
        guard let row = try journal.store.row(named: entry.name), try lacksRequiredReference(row) else { return }
        try journal.store.deleteRow(row)
    }

    private func lacksRequiredReference(_ row: RowKey) throws -> Bool {
        guard let entity = try journal.store.entity(of: row) else { return false }
        if entity.isJoin { return try !bothEndsExist(row) }
        return try entity.links.contains { link in
            guard case .own = link.place, !link.relationship.isOptional else { return false }
            return try journal.store.related(to: row, over: link).isEmpty
        }
    }

    private func bothEndsExist(_ row: RowKey) throws -> Bool {
        try journal.store.row(at: row).map { $0.references.count == 2 } ?? false
    }
}
