import SluiceSQLite
import SluiceSchema

/// Under which names the old tables and their columns stand while a step runs.
struct OldNames {
    var tables: [String]
    /// By table, then by column.
    var columns: [[String]]

    func table(_ table: Int) -> String { SQLText.name(tables[table]) }
    func column(_ column: Int, of table: Int) -> String { SQLText.name(columns[table][column]) }

    /// The table that is filled beside the one that it is to replace.
    static func replacement(_ table: Int) -> String { "_sluice_new_\(table)" }
}

/// Gives tables and columns that stay their new names. Two may change names with each other, so each takes one of ours in between.
struct TableRenaming {
    let connection: Connection
    let layout: LayoutChange

    func run() throws -> OldNames {
        var names = OldNames(tables: layout.old.tables.map(\.name), columns: layout.old.tables.map { $0.columns.map(\.name) })
        try renameTables(&names)
        for table in layout.tables where !table.isRebuilt {
            if let source = table.source { try renameColumns(of: table, source: source, &names) }
        }
        return names
    }

    private func renameTables(_ names: inout OldNames) throws {
        let taken = Set(layout.new.tables.map { $0.name.lowercased() })
        var targets: [Int: String] = [:]
        for table in layout.tables {
            guard let source = table.source, layout.old.tables[source].name != layout.new.tables[table.table].name else { continue }
            targets[source] = layout.new.tables[table.table].name
        }
        for old in layout.gone where taken.contains(layout.old.tables[old].name.lowercased()) { targets[old] = "_sluice_gone_\(old)" }
        for (old, _) in targets.sorted(by: { $0.key < $1.key }) { try rename(old, to: "_sluice_from_\(old)", &names) }
        for (old, target) in targets.sorted(by: { $0.key < $1.key }) { try rename(old, to: target, &names) }
    }

    private func rename(_ old: Int, to name: String, _ names: inout OldNames) throws {
        try connection.execute("ALTER TABLE \(names.table(old)) RENAME TO \(SQLText.name(name))")
        names.tables[old] = name
    }

    private func renameColumns(of table: TableChange, source: Int, _ names: inout OldNames) throws {
        var renamed: [(column: Int, from: TableLayout.Column, to: TableLayout.Column)] = []
        for (column, origin) in zip(layout.new.tables[table.table].columns, table.columns) {
            guard case .kept(let position) = origin else { continue }
            let before = layout.old.tables[source].columns[position]
            if before.name != column.name { renamed.append((position, before, column)) }
        }
        func rename(_ from: String, to name: String) throws {
            try connection.execute("ALTER TABLE \(names.table(source)) RENAME COLUMN \(SQLText.name(from)) TO \(SQLText.name(name))")
        }
        func between(_ column: Int, _ isShadow: Bool) -> String { "_sluice_\(isShadow ? "nfc" : "column")_\(column)" }
        for (column, before, _) in renamed {
            try rename(before.name, to: between(column, false))
            if let shadow = before.shadowName { try rename(shadow, to: between(column, true)) }
        }
        for (column, before, after) in renamed {
            try rename(between(column, false), to: after.name)
            if before.shadowName != nil, let shadow = after.shadowName { try rename(between(column, true), to: shadow) }
            names.columns[source][column] = after.name
        }
    }
}
