import SluiceSQLite
import SluiceSchema

/// References to rows that went with their entity: they read as nil from now on, and pairs with such an end go. Runs while no trigger is
/// there.
struct ReferenceRepair {
    let connection: Connection
    let layout: LayoutChange
    let log: LogMigration?
    /// New tables that lost rows.
    let lost: Set<Int>

    func run() throws {
        for table in layout.tables where isSuspect(table) {
            let final = layout.new.tables[table.table]
            let isJoin = layout.new.entities[final.name]?.isJoin ?? false
            for column in final.columns {
                guard let target = column.referencedTable else { continue }
                let dangling = "\(column.sql) IS NOT NULL AND \(column.sql) NOT IN (SELECT _pk FROM \(SQLText.name(target)))"
                if isJoin {
                    try log?.forget("SELECT _pk FROM \(final.sql) WHERE \(dangling)", of: final)
                    try connection.run("DELETE FROM \(final.sql) WHERE \(dangling)")
                } else {
                    try connection.run("UPDATE \(final.sql) SET \(column.sql) = NULL WHERE \(dangling)")
                }
            }
            let faults = try connection.rows("PRAGMA foreign_key_check(\(final.sql))") { $0.text(2) }
            guard faults.isEmpty else {
                throw StoreError.damaged(
                    path: connection.path, faults: faults.map { "\(final.name) refers to rows of \($0) that are not there" })
            }
        }
    }

    private func isSuspect(_ table: TableChange) -> Bool {
        if table.isRebuilt || !table.pairs.isEmpty { return true }
        return layout.new.tables[table.table].columns.contains { column in
            column.referencedTable.flatMap { layout.new.tableIndex(named: $0) }.map(lost.contains) ?? false
        }
    }
}
