import SluiceSchema
import SluiceSQLite
import SluiceStore

/// What people did in a run, by record: the promises that the checks hold the devices to.
struct RunLedger {
    struct Fate {
        let entity: String
        var insertedAt: Int?
        var insertionCount = 0
        var touchedAt = 0
        var deletedAt: Int?
    }

    private(set) var fates: [RecordName: Fate] = [:]
    /// In the order in which they were met.
    private(set) var names: [RecordName] = []

    mutating func touched(_ name: RecordName, at step: Int) { fates[name]?.touchedAt = step }

    /// Notes what the edit of this step changed.
    mutating func observe(_ store: Store, after sequence: Int64, step: Int) throws {
        for change in try store.changes(after: sequence, limit: 100_000) {
            let entity = store.layout.tables[change.row.table].name
            guard let name = try change.name ?? store.name(of: change.row) else { continue }
            if fates[name] == nil {
                fates[name] = Fate(entity: entity)
                names.append(name)
            }
            switch change.kind {
            case .insert:
                fates[name]?.insertedAt = step
                fates[name]?.insertionCount += 1
                fates[name]?.touchedAt = step
            case .update: fates[name]?.touchedAt = step
            case .delete: fates[name]?.deletedAt = step
            }
            // The last word of an edit counts: a deletion and an insertion under the same name is an insertion.
            if change.kind == .insert { fates[name]?.deletedAt = nil }
        }
    }
}
