// The DDL of a store. A person can open the file with the sqlite3 shell, understand it and edit it: real columns, real
// indexes, foreign keys, and no trigger that calls a function of ours.
//
// Every table: `_pk` integer key, never reused (other tables and the change log refer to it); `_id` the record name (RecordName.stored);
// `_entity` in a hierarchy. Columns of doubles and dates have no declared type (SluiceSchema's ColumnCoding says why).

import SluiceSQLite
import SluiceSchema

/// The statements that make one table with its indexes.
struct TableDefinition {
    let layout: TableLayout
    let entities: [StoredEntity]

    var statements: [String] { [table(named: layout.name)] + indexes }

    /// Statements that make the indexes.
    var indexes: [String] { [nameIndex] + referenceIndexes + uniqueIndexes.map(\.statement) + declaredIndexes }

    /// Attributes to index, by column, from the schema's `indices`.
    let indices: [[Int]]

    /// The statement that makes the table, under a name that may be another than the layout's: a table that is to replace one is filled first.
    func table(named name: String) -> String {
        var columns = [
            "_pk INTEGER PRIMARY KEY AUTOINCREMENT",
            "_id NOT NULL",
        ]
        if layout.isHierarchy { columns.append(entityColumn) }
        for column in layout.columns { columns += self.columns(for: column) }
        return "CREATE TABLE \(SQLText.name(name)) (\n    \(columns.joined(separator: ",\n    "))\n)"
    }

    /// Declares the column with the name of a row's entity.
    var entityColumn: String { "_entity TEXT NOT NULL DEFAULT \(SQLText.literal(layout.name))" }

    /// Declares a column, and the one with the NFC form of its text.
    func columns(for column: TableLayout.Column) -> [String] {
        [definition(of: column)] + (column.shadowName.map { ["\(SQLText.name($0)) TEXT"] } ?? [])
    }

    private func definition(of column: TableLayout.Column) -> String {
        switch column.content {
        case .attribute(let attribute):
            let type = Self.declaredType(attribute.type)
            let value = attribute.defaultValue.flatMap(\.sqlLiteral).map { " DEFAULT \($0)" } ?? ""
            return "\(column.sql)\(type.isEmpty ? "" : " \(type)")\(value)"
        case .reference(let table, let rule):
            let action = rule == .cascade ? "CASCADE" : "SET NULL"
            return "\(column.sql) INTEGER REFERENCES \(SQLText.name(table))(_pk) ON DELETE \(action) DEFERRABLE INITIALLY DEFERRED"
        }
    }

    private static func declaredType(_ type: AttributeType) -> String {
        switch type {
        case .string, .url, .decimal: "TEXT"
        case .int16, .int32, .int64, .boolean: "INTEGER"
        case .data, .codable, .transformable, .uuid: "BLOB"
        case .float, .double, .date: ""
        }
    }

    private var nameIndex: String { "CREATE UNIQUE INDEX \(index("id")) ON \(layout.sql)(_id)" }

    private var referenceIndexes: [String] {
        layout.columns.filter { $0.referencedTable != nil }.map {
            "CREATE INDEX \(index($0.name)) ON \(layout.sql)(\($0.sql)) WHERE \($0.sql) IS NOT NULL"
        }
    }

    /// One index per constraint; a constraint of a subentity only looks at that subentity's rows.
    var uniqueIndexes: [(entity: StoredEntity, columns: [Int], statement: String)] {
        var seen: Set<[Int]> = []
        var statements: [(entity: StoredEntity, columns: [Int], statement: String)] = []
        let shallowFirst = entities.sorted { $0.columns.count < $1.columns.count }
        for entity in shallowFirst {
            for constraint in entity.uniqueness where seen.insert(constraint).inserted {
                let terms = constraint.map { layout.columns[$0].comparisonSQL }.joined(separator: ", ")
                let names = constraint.map { layout.columns[$0].name }.joined(separator: "_")
                statements.append((entity, constraint, "CREATE UNIQUE INDEX \(index("unique_\(names)")) ON \(layout.sql)(\(terms))"))
            }
        }
        return statements
    }

    private var declaredIndexes: [String] {
        var seen: Set<[Int]> = []
        return indices.filter { seen.insert($0).inserted }.map { columns in
            let terms = columns.map { layout.columns[$0].comparisonSQL }.joined(separator: ", ")
            let names = columns.map { layout.columns[$0].name }.joined(separator: "_")
            return "CREATE INDEX \(index("index_\(names)")) ON \(layout.sql)(\(terms))"
        }
    }

    private func index(_ suffix: String) -> String { SQLText.name("\(layout.name)$\(suffix)") }
}
