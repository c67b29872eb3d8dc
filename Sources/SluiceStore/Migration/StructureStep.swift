// One structural step, inside the migration's transaction, with foreign keys off and the triggers of capture gone until its end: nothing
// it does is an entry of the log. The order matters:
//
// 1. Tables and columns that stay where they are get their new names; SQLite carries the names into references.
// 2. Tables that cannot be altered are made anew beside the old ones and filled from them, while every old table and index is still there.
// 3. The log and the outbox learn the new column numbers.
// 4. Old tables go, new ones take their names, the others get their new columns.
// 5. Defaults, indexes, triggers, references, header.

import Foundation
import SluiceDigest
import SluiceSQLite
import SluiceSchema

struct StructureStep {
    let connection: Connection
    let change: SchemaChange
    let capturesChanges: Bool

    private var layout: LayoutChange { change.layout }

    /// - Throws: `MigrationRefusal` with everything in the rows that forbids the step.
    func run() throws {
        if change.from.entities != change.to.entities {
            try dropTriggers()
            try refuse(RowChecks(connection: connection, change: change).faults())
            let names = try TableRenaming(connection: connection, layout: layout).run()
            try fillNewTables(names)
            let log = capturesChanges ? LogMigration(connection: connection, layout: layout, names: names) : nil
            let lost = try log?.forgetRows() ?? []
            try numberTables(log)
            try replaceTables(names)
            let indexes = IndexMigration(connection: connection, layout: layout)
            try indexes.dropStale()
            try addColumns()
            try fillDefaults()
            try refuse(indexes.createMissing())
            try ReferenceRepair(connection: connection, layout: layout, log: log, lost: lost).run()
            try createTriggers()
        }
        try writeHeader()
    }

    private func refuse(_ faults: [MigrationFault]) throws {
        guard faults.isEmpty else { throw MigrationRefusal(from: change.from.version, to: change.to.version, faults: faults) }
    }

    // MARK: Tables

    private func fillNewTables(_ names: OldNames) throws {
        for table in layout.tables where table.source == nil || table.isRebuilt {
            let definition = layout.new.definition(ofTable: table.table)
            let name = table.isRebuilt ? OldNames.replacement(table.table) : layout.new.tables[table.table].name
            try connection.execute(definition.table(named: name))
            let filling = RowFilling(connection: connection, layout: layout, names: names, table: table, target: name)
            if table.isRebuilt { try filling.copyRows() } else if !table.pairs.isEmpty { try filling.insertPairs() }
        }
    }

    private func replaceTables(_ names: OldNames) throws {
        for old in layout.gone { try connection.execute("DROP TABLE \(SQLText.name(names.tables[old]))") }
        for table in layout.tables where table.isRebuilt {
            guard let source = table.source else { continue }
            let last = try connection.integer("SELECT seq FROM sqlite_sequence WHERE name = ?", [.text(names.tables[source])])
            let final = layout.new.tables[table.table]
            try connection.execute("DROP TABLE \(SQLText.name(names.tables[source]))")
            try connection.execute("ALTER TABLE \(SQLText.name(OldNames.replacement(table.table))) RENAME TO \(final.sql)")
            // A key is never given twice, though the row that had it is gone.
            try connection.run("DELETE FROM sqlite_sequence WHERE name = ?", [.text(final.name)])
            if last > 0 { try connection.run("INSERT INTO sqlite_sequence(name, seq) VALUES (?, ?)", [.text(final.name), .integer(last)]) }
        }
    }

    private func addColumns() throws {
        for table in layout.tables where !table.isRebuilt {
            guard let source = table.source else { continue }
            let definition = layout.new.definition(ofTable: table.table)
            let final = layout.new.tables[table.table]
            var columns: [String] = []
            if final.isHierarchy, !layout.old.tables[source].isHierarchy { columns.append(definition.entityColumn) }
            for (column, origin) in zip(final.columns, table.columns) where origin == .new { columns += definition.columns(for: column) }
            for column in columns { try connection.execute("ALTER TABLE \(final.sql) ADD COLUMN \(column)") }
        }
    }

    private func fillDefaults() throws {
        for table in layout.tables {
            let final = layout.new.tables[table.table]
            for fill in layout.fills(of: table) {
                let column = final.columns[fill.column]
                var assignments = ["\(column.sql) = ?"]
                var values = [fill.value.stored]
                if let shadow = column.shadowName {
                    assignments.append("\(SQLText.name(shadow)) = ?")
                    values.append(SQLiteValue(fill.value.stored.text.flatMap(CanonicalText.shadow)))
                }
                var condition = isDeclared(fill) && table.columns[fill.column] == .new ? "true" : "\(column.sql) IS NULL"
                if final.isHierarchy {
                    condition += " AND _entity IN (\(SQLText.placeholders(fill.entities.count)))"
                    values += fill.entities.map(SQLiteValue.text)
                }
                try connection.run("UPDATE \(final.sql) SET \(assignments.joined(separator: ", ")) WHERE \(condition)", values)
            }
        }
    }

    /// The declaration gave the rows the text, and only its NFC form is missing.
    private func isDeclared(_ fill: ColumnFill) -> Bool { fill.value.sqlLiteral != nil }

    // MARK: Numbers, triggers, header

    /// A table keeps its number in the log for as long as it exists; a number is never given to another.
    private func numberTables(_ log: LogMigration?) throws {
        func place(_ number: Int64) -> SQLiteValue { .text("_sluice_\(number)") }
        var numbers: [Int: Int64] = [:]
        for old in layout.old.tables.indices { numbers[old] = try self.number(of: layout.old.tables[old].name) }
        for old in layout.gone { try connection.run("DELETE FROM _sluice_table WHERE number = ?", [SQLiteValue(numbers[old])]) }
        let renamed = layout.tables.compactMap { table in
            table.source.flatMap { source in
                numbers[source].map { ($0, layout.old.tables[source].name, layout.new.tables[table.table].name) }
            }
        }.filter { $0.1 != $0.2 }
        for (number, _, _) in renamed {
            try connection.run("UPDATE _sluice_table SET name = ? WHERE number = ?", [place(number), .integer(number)])
        }
        for (number, _, name) in renamed {
            try connection.run("UPDATE _sluice_table SET name = ? WHERE number = ?", [.text(name), .integer(number)])
        }
        for table in layout.tables {
            let final = layout.new.tables[table.table]
            if let source = table.source, let number = numbers[source] {
                try log?.remap(table, source: source, number: number)
            } else {
                try connection.run("INSERT INTO _sluice_table(name) VALUES (?)", [.text(final.name)])
                guard capturesChanges else { continue }
                try connection.execute(CaptureDefinition(layout: final, number: connection.lastInsertRowID).oldTable())
            }
        }
    }

    private func number(of table: String) throws -> Int64 {
        try connection.integer("SELECT number FROM _sluice_table WHERE name = ?", [.text(table)])
    }

    private func dropTriggers() throws {
        let triggers = try connection.rows("SELECT name FROM sqlite_master WHERE type = 'trigger' AND name GLOB '_sluice_[0-9]*'") {
            $0.text(0)
        }
        for trigger in triggers { try connection.execute("DROP TRIGGER \(SQLText.name(trigger))") }
    }

    private func createTriggers() throws {
        guard capturesChanges else { return }
        for table in layout.new.tables {
            for trigger in CaptureDefinition(layout: table, number: try number(of: table.name)).triggers { try connection.execute(trigger) }
        }
    }

    private func writeHeader() throws {
        let values: [(String, SQLiteValue)] = [
            ("schema", .blob(try change.to.canonicalEncoding())),
            ("checksum", .text(Digest.sha256(try change.to.shapeEncoding()).hexadecimal)),
        ]
        for (key, value) in values { try connection.run("UPDATE _sluice_store SET value = ? WHERE key = ?", [value, .text(key)]) }
    }
}
