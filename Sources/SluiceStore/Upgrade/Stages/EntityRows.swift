// How a stage sees a store: a table for each entity, called like it, with a column for each property, called like it. Where rows lie in
// truth (one table for a hierarchy, columns that are called otherwise) is nobody's business there.
//
// The tables are common table expressions in front of each statement, so that nothing of them is ever in the file.

import SluiceSQLite
import SluiceSchema

/// The entities of a store as tables.
struct EntityRows {
    let layout: StoredSchema

    /// What stands before a statement that reads entities: `WITH …`. More may follow after a comma.
    var prelude: String {
        "WITH " + layout.sortedEntities.filter { !$0.isJoin }.map(expression).joined(separator: ",\n    ")
    }

    private func expression(_ entity: StoredEntity) -> String {
        let table = layout.table(of: entity)
        var columns = ["_pk", "_id"]
        if table.isHierarchy { columns.append("_entity") }
        for (column, property) in zip(entity.columns, entity.propertyNames) {
            columns.append("\(table.columns[column].sql) AS \(SQLText.name(property))")
        }
        let rows = condition(of: entity).map { " WHERE \($0)" } ?? ""
        // The name alone would mean the expression itself.
        return "\(SQLText.name(entity.name)) AS NOT MATERIALIZED (SELECT \(columns.joined(separator: ", ")) FROM main.\(table.sql)\(rows))"
    }

    /// What rows of the entity and its subentities have in common in their table; nil where that is all of them.
    func condition(of entity: StoredEntity) -> String? {
        layout.rowEntities(of: entity).map { names in "_entity IN (\(names.map { SQLText.literal($0) }.joined(separator: ", ")))" }
    }
}

/// What one edit does, as statements over the entities' tables.
struct StageStatement {
    let entity: StoredEntity
    let rows: EntityRows
    /// Columns of the entity's table that are set, with the expressions.
    let assignments: [(column: Int, expression: String)]
    let condition: String?

    private var source: String {
        // The line break ends a comment.
        "FROM \(SQLText.name(entity.name))" + (condition.map { " WHERE (\($0)\n)" } ?? "")
    }

    /// Where the new values wait, by the key of their row. It has no column types, so that each value stays what it is.
    static let newRows = "temp._sluice_new"

    /// Makes the table of new values.
    var newTable: String {
        "CREATE TEMP TABLE _sluice_new (k INTEGER PRIMARY KEY, \(assignments.indices.map { "x\($0)" }.joined(separator: ", ")))"
    }

    /// Works out the new values of all rows, before the first is changed.
    var filling: String {
        let values = assignments.indices.map { "\(StageValues.function)((\(assignments[$0].expression)\n), \($0), _pk)" }
        return "\(rows.prelude)\nINSERT INTO \(Self.newRows) SELECT _pk, \(values.joined(separator: ", ")) \(source)"
    }

    /// Gives the rows their new values.
    var update: ManyRowsUpdate {
        let table = rows.layout.table(of: entity)
        let assigned = assignments.enumerated().flatMap { index, assignment -> [String] in
            let column = table.columns[assignment.column]
            let shadow = column.shadowName.map { ["\(SQLText.name($0)) = \(MigrationFunctions.shadow)(v.x\(index))"] } ?? []
            return ["\(column.sql) = v.x\(index)"] + shadow
        }
        return ManyRowsUpdate(
            table: entity.table,
            changes: assignments.enumerated().map { index, assignment in
                ManyRowsUpdate.Change(column: assignment.column, value: ManyRowsUpdate.Part("v.x\(index)"))
            },
            join: " JOIN \(Self.newRows) AS v ON v.k = t._pk",
            statement: ManyRowsUpdate.Part(
                "UPDATE main.\(table.sql) AS t SET \(assigned.joined(separator: ", ")) FROM \(Self.newRows) AS v WHERE t._pk = v.k"))
    }

    /// The keys of the rows that it is about.
    var keys: String { "\(rows.prelude)\nSELECT _pk \(source) ORDER BY _pk" }

    /// Works out one expression for every row and changes nothing.
    func trial(_ expression: String) -> String { "\(rows.prelude)\nSELECT count(x) FROM (SELECT (\(expression)\n) AS x \(source))" }

    /// Counts rows whose reference leads to no row of the destination.
    func lostReferences(column: Int, to destination: StoredEntity) -> String {
        let table = rows.layout.table(of: entity)
        let target = rows.condition(of: destination).map { " WHERE \($0)" } ?? ""
        let own = rows.condition(of: entity).map { " AND \($0)" } ?? ""
        return """
            SELECT count(*) FROM \(table.sql) WHERE \(table.columns[column].sql) IS NOT NULL AND \(table.columns[column].sql)
                NOT IN (SELECT _pk FROM \(rows.layout.table(of: destination).sql)\(target))\(own)
            """
    }
}
