import SluiceRecords
import SluiceSQLite
import SluiceSchema
import SluiceStore

extension SyncJournal {
    /// What this device last said of the record's fields: in the operation that carries it, or before. A later edit here is on top of that,
    /// whatever the clock did meanwhile.
    func latestMetadata(of change: PendingChange) throws -> MergeMetadata? {
        let sent = change.isInFlight ? try store.metadataInFlight(of: change.name) : nil
        return (sent ?? change.service?.meta).flatMap { MergeMetadata(encoded: $0) }
    }

    /// The value before the first unacknowledged edit, in wire form; nil where none is known.
    func base(
        of column: Int, pending: PendingChange, changed: [Int: (first: Int64, last: Int64)], entity: StoredEntity
    ) throws -> WireCell? {
        guard let range = changed[column], !pending.isInserted,
            let old = try store.oldValue(table: entity.table, column: column, at: range.first)
        else { return nil }
        return try cell(old, column: column, entity: entity)
    }

    /// Whether one of this device's unsent edits of a column was to this value, with another on top of it.
    func passedThrough(
        _ cell: WireCell, column: Int, pending: PendingChange, changed: [Int: (first: Int64, last: Int64)], entity: StoredEntity
    ) throws -> Bool {
        guard let row = pending.row else { return false }
        // What was there before the first edit of a record that the service has is not this device's own.
        var position = pending.isInserted ? pending.first : changed[column]?.first ?? pending.first
        while let next = try store.firstChange(of: row, column: column, after: position), next <= pending.last {
            if let old = try store.oldValue(table: entity.table, column: column, at: next), try self.cell(old, column: column, entity: entity) == cell {
                return true
            }
            position = next
        }
        return false
    }

    private func cell(_ old: SQLiteValue, column: Int, entity: StoredEntity) throws -> WireCell? {
        let definition = store.layout.table(of: entity).columns[column]
        if let attribute = definition.attribute {
            do throws(ExternalValueFault) { return .attribute(WireValue(try store.property(old, of: attribute))) } catch { return nil }
        }
        guard let key = old.integer else { return .reference(nil) }
        guard let table = definition.referencedTable.flatMap(store.layout.tableIndex) else { return nil }
        return try store.name(of: RowKey(table: table, key: key)).map { .reference($0) }
    }
}
