// The change log and the outbox across a step. Columns have numbers there, and a new column in the middle of a layout moves those after it:
// masks, old values and pending fields follow. What was logged of columns, rows and tables that go is forgotten; nothing of it is sent.
// Positions stay: the newest entry is kept whatever it was about, under table number 0, which no table has.

import SluiceSQLite
import SluiceSchema

struct LogMigration {
    let connection: Connection
    let layout: LayoutChange
    let names: OldNames

    // MARK: Rows that go

    /// Forgets rows of entities and tables that go, while the old tables are still there.
    /// - Returns: new tables that lose rows.
    func forgetRows() throws -> Set<Int> {
        // A store from before these tables may be migrated by a program that never syncs it.
        for statement in SyncDefinition.laterStatements { try connection.execute(statement) }
        var lost: Set<Int> = []
        for old in layout.gone {
            let number = try self.number(of: layout.old.tables[old].name)
            try forget(
                number: number,
                "SELECT row FROM _sluice_change WHERE tbl = \(number) UNION SELECT row FROM _sluice_pending WHERE tbl = \(number)",
                name: nil)
            try connection.run("DELETE FROM _sluice_record WHERE tbl = ?", [.integer(number)])
            try connection.run("DELETE FROM _sluice_tombstone WHERE tbl = ?", [.integer(number)])
            try connection.execute("DROP TABLE _sluice_old_\(number)")
        }
        for table in layout.tables {
            guard let source = table.source else { continue }
            let dropped = layout.droppedEntities(of: source, in: table)
            guard !dropped.isEmpty else { continue }
            lost.insert(table.table)
            let number = try self.number(of: layout.old.tables[source].name)
            let list = dropped.map { SQLText.literal($0) }.joined(separator: ", ")
            var rows = "SELECT _pk FROM \(names.table(source)) WHERE _entity IN (\(list))"
            if try keepsEntity(number) {
                rows += """
                     UNION SELECT c.row FROM _sluice_change c JOIN _sluice_old_\(number) o ON o.seq = c.seq
                        WHERE c.tbl = \(number) AND c.kind = 2 AND o.entity IN (\(list))
                    """
            }
            try forget(number: number, rows, name: names.tables[source])
        }
        return lost
    }

    /// Forgets rows of a table of the new layout, which are about to go.
    func forget(_ rows: String, of table: TableLayout) throws { try forget(number: try number(of: table.name), rows, name: table.name) }

    private func forget(number: Int64, _ rows: String, name: String?) throws {
        try connection.execute("CREATE TEMP TABLE IF NOT EXISTS _sluice_forgotten (row INTEGER PRIMARY KEY); DELETE FROM _sluice_forgotten")
        guard try connection.run("INSERT INTO _sluice_forgotten \(rows)") > 0 else { return }
        let these = "tbl = \(number) AND row IN (SELECT row FROM _sluice_forgotten)"
        try connection.run("DELETE FROM _sluice_old_\(number) WHERE seq IN (SELECT seq FROM _sluice_change WHERE \(these))")
        try deleteEntries(where: these)
        try connection.run("DELETE FROM _sluice_field WHERE id IN (SELECT id FROM _sluice_pending WHERE \(these))")
        // Foreign keys are off, so that nothing cascades.
        for table in ["_sluice_owed", "_sluice_departed"] {
            try connection.run("DELETE FROM \(table) WHERE id IN (SELECT id FROM _sluice_pending WHERE \(these))")
        }
        try connection.run("DELETE FROM _sluice_pending WHERE \(these)")
        guard let name else { return }
        try connection.run(
            """
            DELETE FROM _sluice_record
                WHERE tbl IS NOT NULL AND id IN (SELECT _id FROM \(SQLText.name(name)) WHERE _pk IN (SELECT row FROM _sluice_forgotten))
            """
        )
    }

    private func deleteEntries(where condition: String) throws {
        try connection.run("UPDATE _sluice_change SET tbl = 0 WHERE seq = (SELECT max(seq) FROM _sluice_change) AND \(condition)")
        try connection.run("DELETE FROM _sluice_change WHERE \(condition)")
    }

    private func number(of table: String) throws -> Int64 {
        try connection.integer("SELECT number FROM _sluice_table WHERE name = ?", [.text(table)])
    }

    // MARK: Columns

    /// Brings masks, old values and pending fields of one table to its new columns.
    func remap(_ table: TableChange, source: Int, number: Int64) throws {
        let (old, new) = (layout.old.tables[source], layout.new.tables[table.table])
        var columns: [Int: Int] = [:]
        for (position, origin) in table.columns.enumerated() { for before in origin.columns { columns[before] = position } }
        let hasEntity = try keepsEntity(number)
        let moves = old.columns.indices.contains { columns[$0] != $0 }
        let converts = columns.contains { before, after in conversion(before, after, old, new).map { !$0.keepsStoredForm } ?? false }
        let sameWords = CaptureDefinition.wordCount(columns: old.columns.count) == CaptureDefinition.wordCount(columns: new.columns.count)
        if !moves, !converts, sameWords, hasEntity == new.isHierarchy, !table.entities.contains(where: { $0.key != $0.value && hasEntity })
        {
            for position in old.columns.count..<max(old.columns.count, new.columns.count) {
                try connection.execute("ALTER TABLE _sluice_old_\(number) ADD COLUMN c\(position)")
            }
        } else {
            try rebuild(table, number: number, columns: columns, hasEntity: hasEntity, old, new)
        }
        if moves { try remapFields(number: number, columns: columns) }
        if columns.count < old.columns.count {
            try deleteEmptyUpdates(number: number, words: CaptureDefinition.wordCount(columns: new.columns.count))
        }
    }

    private func conversion(_ before: Int, _ after: Int, _ old: TableLayout, _ new: TableLayout) -> TypeChange? {
        guard let from = old.columns[before].attribute?.type, let to = new.columns[after].attribute?.type else { return nil }
        return TypeChange(from: from, to: to)
    }

    private func rebuild(
        _ table: TableChange, number: Int64, columns: [Int: Int], hasEntity: Bool, _ old: TableLayout, _ new: TableLayout
    ) throws {
        let capture = CaptureDefinition(layout: new, number: number)
        let temporary = "_sluice_old_new"
        try connection.execute(capture.oldTable(named: temporary))
        var names = ["seq"]
        var terms = ["o.seq"]
        let bits = CaptureDefinition.bitsPerWord
        for word in 0..<CaptureDefinition.wordCount(columns: new.columns.count) {
            let moved = columns.filter { $0.value / bits == word }.sorted { $0.value < $1.value }.map { before, after in
                "(((o.m\(before / bits) >> \(before % bits)) & 1) << \(after % bits))"
            }
            names.append("m\(word)")
            terms.append(moved.isEmpty ? "0" : moved.joined(separator: " | "))
        }
        for (before, after) in columns.sorted(by: { $0.value < $1.value }) {
            names.append("c\(after)")
            terms.append(conversion(before, after, old, new).map { MigrationFunctions.converted("o.c\(before)", $0) } ?? "o.c\(before)")
        }
        if new.isHierarchy {
            names.append("entity")
            terms.append(entityTerm(table, hasEntity: hasEntity, old))
        }
        try connection.execute(
            """
            INSERT INTO \(temporary)(\(names.joined(separator: ", "))) SELECT \(terms.joined(separator: ", ")) FROM _sluice_old_\(number) o;
            DROP TABLE _sluice_old_\(number);
            ALTER TABLE \(temporary) RENAME TO _sluice_old_\(number)
            """)
    }

    private func entityTerm(_ table: TableChange, hasEntity: Bool, _ old: TableLayout) -> String {
        if hasEntity {
            let renamed = table.entities.filter { $0.key != $0.value }.sorted { $0.key < $1.key }
            if renamed.isEmpty { return "o.entity" }
            return "CASE o.entity " + renamed.map { "WHEN \(SQLText.literal($0.key)) THEN \(SQLText.literal($0.value)) " }.joined()
                + "ELSE o.entity END"
        }
        guard !old.isHierarchy, let name = table.entities[old.name] else { return "NULL" }
        return "CASE (SELECT kind FROM _sluice_change c WHERE c.seq = o.seq) WHEN 2 THEN \(SQLText.literal(name)) END"
    }

    private func keepsEntity(_ number: Int64) throws -> Bool {
        try connection.integer("SELECT count(*) FROM pragma_table_info('_sluice_old_\(number)') WHERE name = 'entity'") == 1
    }

    // MARK: The outbox

    /// Fields of columns that go are forgotten, and records of which nothing else was to be sent with them, unless it is owed.
    private func remapFields(number: Int64, columns: [Int: Int]) throws {
        let these = "id IN (SELECT id FROM _sluice_pending WHERE tbl = \(number))"
        let kept = columns.keys.sorted().map { "\($0)" }.joined(separator: ", ")
        try connection.execute("CREATE TEMP TABLE IF NOT EXISTS _sluice_emptied (id PRIMARY KEY); DELETE FROM _sluice_emptied")
        try connection.run("INSERT OR IGNORE INTO _sluice_emptied SELECT id FROM _sluice_field WHERE \(these) AND col NOT IN (\(kept))")
        try connection.run("DELETE FROM _sluice_field WHERE \(these) AND col NOT IN (\(kept))")
        try connection.run(
            """
            DELETE FROM _sluice_pending WHERE tbl = ? AND inserted = 0 AND deleted = 0 AND operation IS NULL
                AND id IN (SELECT id FROM _sluice_emptied) AND NOT EXISTS (SELECT 1 FROM _sluice_field f WHERE f.id = _sluice_pending.id)
                AND NOT EXISTS (SELECT 1 FROM _sluice_owed o WHERE o.id = _sluice_pending.id)
            """, [.integer(number)])
        let moved = columns.filter { $0.key != $0.value }.sorted { $0.key < $1.key }
        guard !moved.isEmpty else { return }
        // Two columns may change numbers with each other: below zero none is taken.
        let cases = moved.map { "WHEN \($0.key) THEN \(-1 - $0.value) " }.joined()
        try connection.run("UPDATE _sluice_field SET col = CASE col \(cases)ELSE col END WHERE \(these)")
        try connection.run("UPDATE _sluice_field SET col = -1 - col WHERE col < 0")
    }

    /// Updates that changed nothing but columns that went. The outbox has not seen them yet; it refers to earlier ones by their positions.
    private func deleteEmptyUpdates(number: Int64, words: Int) throws {
        let empty = (0..<words).map { "m\($0) = 0" }.joined(separator: " AND ")
        try deleteEntries(
            where: """
                tbl = \(number) AND kind = 1 AND seq > coalesce((SELECT value FROM _sluice_sync WHERE key = 'drained'), 0)
                    AND seq IN (SELECT seq FROM _sluice_old_\(number) WHERE \(empty))
                """)
        try connection.run("DELETE FROM _sluice_old_\(number) WHERE seq NOT IN (SELECT seq FROM _sluice_change WHERE tbl = \(number))")
    }
}
