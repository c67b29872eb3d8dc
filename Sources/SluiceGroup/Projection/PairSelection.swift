import SluiceSchema
import SluiceSQLite
import SluiceStore

/// One many-to-many relationship whose two ends are both projected.
struct PairSelection {
    let transfer: RowTransfer
    /// The pairs' layout in the local store.
    let layout: TableLayout
    /// Positions of the tables at both ends in the synced store's layout; both ends may be one table.
    let sourceEnds: [Int]

    init?(_ entity: StoredEntity, from source: StoredSchema, to local: StoredSchema) {
        guard entity.isJoin, let sourceTable = source.tableIndex(named: entity.name) else { return nil }
        layout = local.table(of: entity)
        transfer = RowTransfer(table: entity.name, from: source, to: local, entities: [entity.name], selects: { _ in true })
        sourceEnds = source.tables[sourceTable].columns.compactMap { $0.referencedTable.flatMap(source.tableIndex) }
    }

    /// Whether a pair's end is missing, as a condition on the local table.
    var danglingCondition: String {
        layout.columns.compactMap { column in
            column.referencedTable.map { "\(column.sql) NOT IN (SELECT _pk FROM \(SQLText.name($0)))" }
        }.joined(separator: " OR ")
    }
}
