// References to records that are known to be deleted, in a record that somebody wrote without knowing. They would point nowhere for ever, on the
// service too: so the end of the feed settles them, and says so in the outbox. Any device that knows the deletion may; all come to the same.

import SluiceRecords
import SluiceSchema
import SluiceStore

struct LostReferences {
    let journal: SyncJournal

    private var store: Store { journal.store }

    /// Settles what is lost in a record that waits, written already as far as it can be.
    /// - Returns: whether it no longer waits.
    func settle(_ record: Record, with applier: RecordApplier) throws -> Bool {
        let name = RecordName(record.recordName)
        guard let incoming = journal.mapping.incoming(record) else { return false }
        var lost: [Int] = []
        var isComplete = true
        for column in incoming.entity.columns {
            guard case .reference(let target?)? = incoming.cells[column], try store.row(named: target) == nil else { continue }
            if try store.deletion(of: target) != nil { lost.append(column) } else { isComplete = false }
        }
        guard !lost.isEmpty else { return false }
        let row = try store.row(named: name)
        if lost.contains(where: incoming.entity.requiresReference) {
            try delete(name, record, row: row, table: incoming.entity.table, applier)
            return true
        }
        guard let row else { return false }
        try store.resend(lost, of: name, row: row)
        if isComplete { try store.removeFromInbox(name) }
        return isComplete
    }

    private func delete(_ name: RecordName, _ record: Record, row: RowKey?, table: Int, _ applier: RecordApplier) throws {
        if let row {
            try store.withOrigin(.local) { try store.deleteOrphan(row) }
        } else {
            try store.setRecordState(RecordState(tag: record.changeTag), of: name, table: table)
            try applier.noteSeen(name)
            try store.resendDeletion(of: name, table: table)
        }
        try store.removeFromInbox(name)
    }
}
