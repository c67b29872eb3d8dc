import SluiceSQLite
import SluiceSchema

/// Fills one new table from the old ones, keys and record names included.
struct RowFilling {
    let connection: Connection
    let layout: LayoutChange
    let names: OldNames
    let table: TableChange
    /// The name that the new table has for the time being.
    let target: String

    private var final: TableLayout { layout.new.tables[table.table] }

    /// One statement for all rows. Columns that come from nowhere are left out: they get what their declaration says.
    func copyRows() throws {
        guard let source = table.source else { return }
        let old = layout.old.tables[source]
        var columns = ["_pk", "_id"]
        var terms = ["o._pk", "o._id"]
        var values: [SQLiteValue] = []
        if final.isHierarchy {
            columns.append("_entity")
            terms.append(old.isHierarchy ? entityTerm : SQLText.literal(table.entities[old.name] ?? final.name))
        }
        for (column, origin) in zip(final.columns, table.columns) {
            guard let term = term(for: column, origin, source: source, &values) else { continue }
            columns.append(column.sql)
            terms.append(term)
            guard let shadow = column.shadowName else { continue }
            columns.append(SQLText.name(shadow))
            terms.append(shadowTerm(of: term, origin, source: source))
        }
        var sql =
            "INSERT INTO \(SQLText.name(target))(\(columns.joined(separator: ", "))) SELECT \(terms.joined(separator: ", ")) "
            + "FROM \(names.table(source)) AS o"
        let dropped = layout.droppedEntities(of: source, in: table)
        if !dropped.isEmpty { sql += " WHERE o._entity NOT IN (\(dropped.map { SQLText.literal($0) }.joined(separator: ", ")))" }
        try connection.run("\(sql) ORDER BY o._pk", values)
    }

    private var entityTerm: String {
        let renamed = table.entities.filter { $0.key != $0.value }.sorted { $0.key < $1.key }
        if renamed.isEmpty { return "o._entity" }
        return "CASE o._entity " + renamed.map { "WHEN \(SQLText.literal($0.key)) THEN \(SQLText.literal($0.value)) " }.joined()
            + "ELSE o._entity END"
    }

    // MARK: Columns

    private func term(for column: TableLayout.Column, _ origin: ColumnOrigin, source: Int, _ values: inout [SQLiteValue]) -> String? {
        switch origin {
        case .new: return nil
        case .kept(let position): return converted(position, of: source, to: column)
        case .byEntity(let columns):
            guard layout.old.tables[source].isHierarchy else { return columns.values.first.map { converted($0, of: source, to: column) } }
            var term = "CASE o._entity"
            for (entity, position) in columns.sorted(by: { $0.key < $1.key }) {
                term += " WHEN \(SQLText.literal(entity)) THEN \(converted(position, of: source, to: column))"
            }
            guard let value = column.attribute?.defaultValue, !value.isNull else { return term + " END" }
            if let literal = value.sqlLiteral { return term + " ELSE \(literal) END" }
            values.append(value.stored)
            return term + " ELSE ?\(values.count) END"
        case .related(let membership, let asOwner):
            let (own, other) = asOwner ? (membership.owner, membership.member) : (membership.member, membership.owner)
            return lookup(end(other, of: membership), in: membership, where: end(own, of: membership))
        case .place(let membership):
            guard let position = membership.position else { return nil }
            return lookup(
                "m.\(names.column(position, of: membership.table))", in: membership, where: end(membership.member, of: membership))
        }
    }

    private func converted(_ position: Int, of source: Int, to column: TableLayout.Column) -> String {
        let term = "o.\(names.column(position, of: source))"
        guard let before = layout.old.tables[source].columns[position].attribute, let after = column.attribute else { return term }
        return MigrationFunctions.converted(term, TypeChange(from: before.type, to: after.type))
    }

    /// What is in the old shadow column, or worked out anew where the text is another.
    private func shadowTerm(of term: String, _ origin: ColumnOrigin, source: Int) -> String {
        if case .kept(let position) = origin, let shadow = layout.old.tables[source].columns[position].shadowName {
            return "o.\(SQLText.name(shadow))"
        }
        return "sluice_nfc(\(term))"
    }

    // MARK: Relationships

    private func end(_ end: Membership.End, of membership: Membership) -> String {
        switch end {
        case .row: "m._pk"
        case .column(let column): "m.\(names.column(column, of: membership.table))"
        }
    }

    /// The old index on the column of the condition makes this a search.
    private func lookup(_ value: String, in membership: Membership, where own: String) -> String {
        "(SELECT min(\(value)) FROM \(names.table(membership.table)) AS m WHERE \(own) = o._pk)"
    }

    /// The pairs of a relationship that had no table of its own.
    func insertPairs() throws {
        guard let join = layout.new.entities[final.name] else { return }
        let selections = table.pairs.map { membership, isReversed -> String in
            let (owner, member) = (end(membership.owner, of: membership), end(membership.member, of: membership))
            let place = membership.position.map { "m.\(names.column($0, of: membership.table))" } ?? "NULL"
            let ends =
                isReversed
                ? "\(member) AS s, \(owner) AS t, NULL AS p, \(place) AS q" : "\(owner) AS s, \(member) AS t, \(place) AS p, NULL AS q"
            return "SELECT \(ends) FROM \(names.table(membership.table)) AS m WHERE \(owner) IS NOT NULL AND \(member) IS NOT NULL"
        }
        let places = final.columns.dropFirst(2).map { ($0.sql, $0.name == "position" ? "max(x.p)" : "max(x.q)") }
        let targets = table.pairs.map { membership, isReversed in
            (
                id(of: isReversed ? membership.member : membership.owner, of: membership, "x.s"),
                id(of: isReversed ? membership.owner : membership.member, of: membership, "x.t")
            )
        }
        guard let first = targets.first else { return }
        let columns = ["_id", "source", "target"] + places.map(\.0)
        let terms = ["sluice_pair(?1, \(first.0), \(first.1)) AS name", "x.s", "x.t"] + places.map(\.1)
        try connection.run(
            """
            INSERT INTO \(SQLText.name(target))(\(columns.joined(separator: ", ")))
                SELECT \(terms.joined(separator: ", ")) FROM (\(selections.joined(separator: " UNION ALL "))) AS x
                GROUP BY x.s, x.t HAVING name IS NOT NULL ORDER BY x.s, x.t
            """, [.text(join.wireName)])
    }

    /// The record name of the row at one end of a pair.
    private func id(of end: Membership.End, of membership: Membership, _ key: String) -> String {
        let holder: Int? =
            switch end {
            case .row: membership.table
            case .column(let column):
                layout.old.tables[membership.table].columns[column].referencedTable.flatMap { layout.old.tableIndex(named: $0) }
            }
        return holder.map { "(SELECT _id FROM \(names.table($0)) WHERE _pk = \(key))" } ?? "NULL"
    }
}

extension LayoutChange {
    /// Old entities with rows in a table that the new schema does not have any more, where the table itself stays.
    func droppedEntities(of source: Int, in table: TableChange) -> [String] {
        guard old.tables[source].isHierarchy else { return [] }
        return old.entities(in: source).filter { !$0.isAbstract && table.entities[$0.name] == nil }.map(\.name)
    }
}
