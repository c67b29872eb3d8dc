// Two records with the same unique values, made on two devices. The smaller record name survives, on every device alike. The other's later
// edits move into it, references to it are turned, and it is deleted; its values stay readable in history.

import Foundation
import SluiceRecords
import SluiceSQLite
import SluiceSchema
import SluiceStore

struct UniqueConflict {
    let journal: SyncJournal

    private var store: Store { journal.store }

    /// Whether the record waited because of a unique value, and no longer does.
    func resolve(_ record: Record, with applier: inout RecordApplier) throws -> Bool {
        let name = RecordName(record.recordName)
        guard let incoming = journal.mapping.incoming(record), try store.row(named: name) == nil else { return false }
        let remote = RemoteRecord(record: record, incoming: incoming, latestStamp: applier.latestStamp)
        let cells = try applier.storedCells(incoming.cells, of: incoming.entity).0
        guard let holder = try store.conflictingRow(incoming.entity, cells: cells), let other = try store.name(of: holder) else {
            return false
        }
        if other < name {
            try absorb(incoming, remote, into: holder, applier: applier)
            try store.setRecordState(RecordState(tag: record.changeTag), of: name, table: incoming.entity.table)
            try store.resendDeletion(of: name, table: incoming.entity.table)
            try store.removeFromInbox(name)
            return true
        }
        return try replace(holder, named: other, by: record, incoming: incoming, applier: &applier)
    }

    /// The row here survives: later edits of the other move into it.
    private func absorb(
        _ incoming: RecordMapping.Incoming, _ remote: RemoteRecord, into row: RowKey, applier: RecordApplier
    ) throws {
        let later = try laterCells(of: incoming, remote, than: row, applier: applier)
        try store.withOrigin(.local) { try store.updateRow(row, of: incoming.entity, cells: later) }
    }

    /// The record that came survives: it takes the place of the row here.
    private func replace(
        _ holder: RowKey, named other: RecordName, by record: Record, incoming: RecordMapping.Incoming, applier: inout RecordApplier
    ) throws -> Bool {
        guard let old = try store.row(at: holder) else { return false }
        let references = try store.referrers(to: holder)
        // Pairs of a many-to-many relationship go with their end; they are made anew, under the name that the surviving end gives them.
        let pairs = try references.filter(\.entity.isJoin).compactMap { try store.row(at: $0.row) }
        try store.withOrigin(.local) { try store.deleteRow(holder) }
        guard try applier.apply(record, evenIfKnown: true) == .applied, let row = try store.row(named: RecordName(record.recordName)) else {
            return false
        }
        try store.withOrigin(.local) {
            for pair in pairs { try renew(pair, turning: other, to: RecordName(record.recordName)) }
            for reference in references where !reference.entity.isJoin {
                try store.updateRow(
                    reference.row, of: reference.entity, cells: [Cell(column: reference.column, value: .integer(row.key))])
            }
            let mine = journal.mapping.cells(of: old, as: incoming.entity)
            let stamps = try store.recordState(of: other)?.meta.flatMap { MergeMetadata(encoded: $0) }
            let remote = RemoteRecord(record: record, incoming: incoming, latestStamp: applier.latestStamp)
            let later = mine.filter { column, cell in
                let field = journal.mapping.wireName(ofColumn: column, in: incoming.entity) ?? ""
                return !cell.isNull && (stamps?.stamps[field]?.milliseconds ?? 0) > remote.stamp(of: field, cell: incoming.cells[column] ?? cell)
            }
            try store.updateRow(row, of: incoming.entity, cells: applier.storedCells(later, of: incoming.entity).0)
        }
        return true
    }

    private func renew(_ pair: StoredRow, turning old: RecordName, to new: RecordName) throws {
        let ends = pair.references.mapValues { $0 == old ? new : $0 }
        guard let join = store.layout.entities[pair.entity], let source = ends["source"], let target = ends["target"] else { return }
        let name = store.naming.pairName(type: join.wireName, source: source, target: target)
        try store.put(pair.entity, name: name, RowEdit(references: ends.mapValues(Optional.some)))
    }

    private func laterCells(
        of incoming: RecordMapping.Incoming, _ remote: RemoteRecord, than row: RowKey, applier: RecordApplier
    ) throws -> [Cell] {
        guard let name = try store.name(of: row) else { return [] }
        let stamps = try store.recordState(of: name)?.meta.flatMap { MergeMetadata(encoded: $0) }
        let pending = try store.pendingChange(of: name)
        let changed = try store.pendingFields(of: name)
        let later = try incoming.cells.filter { column, cell in
            guard !cell.isNull, let field = journal.mapping.wireName(ofColumn: column, in: incoming.entity) else { return false }
            let mine = try pending.map { try journal.editStamp(of: column, change: $0, changed: changed, known: stamps?.stamps[field]) }
                ?? stamps?.stamps[field]?.milliseconds ?? 0
            return remote.stamp(of: field, cell: cell) > mine
        }
        return try applier.storedCells(later, of: incoming.entity).0
    }
}
