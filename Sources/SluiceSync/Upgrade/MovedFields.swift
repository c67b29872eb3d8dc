import SluiceSchema
import SluiceStore

/// What lies under another name on the wire after a step, or in records of its own: relationships that are kept in another place than before.
/// The service knows it under the old name only.
struct MovedFields {
    let store: Store
    let change: SchemaChange

    /// Puts it into the outbox, with nobody's edit behind it.
    func resend() throws {
        let (old, new) = (change.layout.old, change.layout.new)
        for table in change.layout.tables where store.tablesToSend.contains(table.table) {
            let entities = new.entities(in: table.table)
            if table.source == nil, !table.pairs.isEmpty {
                try store.resendAll(in: table.table)
                continue
            }
            guard let source = table.source else { continue }
            let isNewlySynced = old.entities(in: source).contains(where: \.isLocalOnly)
            if isNewlySynced {
                try store.resendAll(in: table.table)
                continue
            }
            let known = Set(old.entities(in: source).flatMap(\.wireNames))
            for (column, origin) in table.columns.enumerated() where origin != .new {
                let names = Set(entities.compactMap { entity in entity.columns.firstIndex(of: column).map { entity.wireNames[$0] } })
                let comesFromElsewhere = if case .kept = origin { false } else if case .byEntity = origin { false } else { true }
                if comesFromElsewhere || !names.isSubset(of: known) { try store.resend(column: column, table: table.table) }
            }
        }
    }
}
