// From a row to its properties and to the rows it is related to, and the record of what was looked at: whoever keeps a result up to date
// needs to know which changes elsewhere concern it.

import SluiceSQLite

/// One step from row to row.
package enum FilterHop: Hashable, Sendable {
    /// A column of the row before holds the key of a row in `target`.
    case out(table: Int, column: Int, target: Int)
    /// A column of rows in `table` holds the key of the row before, which is in `target`.
    case back(table: Int, column: Int, target: Int)

    /// The table of the row that the step leads to.
    package var destination: Int {
        switch self {
        case .out(_, _, let target): target
        case .back(let table, _, _): table
        }
    }
}

/// What an expression looks at besides the row that it is about.
package struct FilterDependency: Hashable, Sendable {
    /// How the rows are reached; never empty.
    package let hops: [FilterHop]
    /// The columns that are looked at there. References that steps follow are among them.
    package let columns: Set<Int>

    /// The table of those rows.
    package var table: Int { hops[hops.count - 1].destination }

    /// The same with one for each way, in a fixed order.
    package static func merged(_ dependencies: [FilterDependency]) -> [FilterDependency] {
        Dictionary(dependencies.map { ($0.hops, $0.columns) }, uniquingKeysWith: { $0.union($1) })
            .map { FilterDependency(hops: $0.key, columns: $0.value) }.sorted { "\($0.hops)" < "\($1.hops)" }
    }
}

/// A row that an expression is about or has come to.
struct FilterRow {
    let entity: StoredEntity
    /// The expression for its key.
    let key: SQLFragment
    /// Its name in a FROM clause around the expression; nil where only its key is known.
    let alias: String?
    let hops: [FilterHop]
}

extension FilterTranslation {
    /// The expression for a column of a row.
    private mutating func expression(_ row: FilterRow, _ column: (String) -> SQLFragment) -> SQLFragment {
        if let alias = row.alias { return column(alias) }
        let alias = newAlias()
        return "(SELECT \(column(alias)) FROM \(sql: layout.table(of: row.entity).sql) AS \(sql: alias) WHERE \(sql: alias)._pk = \(row.key))"
    }

    mutating func attribute(_ name: String, of row: FilterRow, path: String) -> FilterTerm? {
        let table = layout.table(of: row.entity)
        guard let position = row.entity.columns.first(where: { table.columns[$0].attribute?.name == name }),
            let attribute = table.columns[position].attribute
        else { return nil }
        record(row.hops, position)
        let column = table.columns[position]
        let sql = expression(row) { "\(sql: $0).\(sql: column.sql)" }
        let comparison = column.shadowName.map { shadow in
            expression(row) { "coalesce(\(sql: $0).\(sql: SQLText.name(shadow)), \(sql: $0).\(sql: column.sql))" }
        }
        return FilterTerm(sql, comparison: comparison, kind: .attribute(attribute.type), name: path)
    }

    func link(_ name: String, of row: FilterRow) throws(FilterError) -> (StoredEntity.Link, StoredEntity) {
        guard let link = row.entity.link(named: name), let destination = layout.entities[link.relationship.destination] else {
            throw .unknownProperty(name, entity: row.entity.name, known: known(row.entity))
        }
        return (link, destination)
    }

    private func known(_ entity: StoredEntity) -> [String] {
        entity.columns.compactMap { layout.table(of: entity).columns[$0].attribute?.name } + entity.links.map(\.relationship.name)
    }

    /// The row at the other end of a to-one relationship.
    mutating func follow(_ link: StoredEntity.Link, to destination: StoredEntity, from row: FilterRow) throws(FilterError) -> FilterRow {
        switch link.place {
        case .own(let column):
            record(row.hops, column)
            let name = layout.table(of: row.entity).columns[column].sql
            let key = expression(row) { "\(sql: $0).\(sql: name)" }
            let hop = FilterHop.out(table: row.entity.table, column: column, target: destination.table)
            return FilterRow(entity: destination, key: key, alias: nil, hops: row.hops + [hop])
        case .inverse(let table, let column):
            let hops = row.hops + [.back(table: table, column: column, target: row.entity.table)]
            record(hops, column)
            let alias = newAlias()
            let target = layout.tables[table]
            let key: SQLFragment = """
                (SELECT \(sql: alias)._pk FROM \(sql: target.sql) AS \(sql: alias) \
                WHERE \(sql: alias).\(sql: target.columns[column].sql) = \(row.key) ORDER BY \(sql: alias)._pk LIMIT 1)
                """
            return FilterRow(entity: destination, key: key, alias: nil, hops: hops)
        case .join: throw .unsupported(property: link.relationship.name, reason: "it leads to many rows")
        }
    }

    /// Rows at the other end of a to-many relationship: what stands after FROM, and how they are told apart from others.
    mutating func members(of link: StoredEntity.Link, to destination: StoredEntity, from row: FilterRow) throws(FilterError) -> FilterSource {
        let alias = newAlias()
        func member(_ hops: [FilterHop]) -> FilterRow {
            FilterRow(entity: destination, key: "\(sql: alias)._pk", alias: alias, hops: hops)
        }
        switch link.place {
        case .own: throw .unsupported(property: link.relationship.name, reason: "it leads to one row")
        case .inverse(let table, let column):
            let hops = row.hops + [.back(table: table, column: column, target: row.entity.table)]
            record(hops, column)
            let target = layout.tables[table]
            return FilterSource(
                from: "\(sql: target.sql) AS \(sql: alias)",
                condition: "\(sql: alias).\(sql: target.columns[column].sql) = \(row.key)", member: member(hops), owner: row)
        case .join(let table, let own, let other):
            let pairs = layout.tables[table]
            let back = row.hops + [.back(table: table, column: own, target: row.entity.table)]
            let hops = back + [.out(table: table, column: other, target: destination.table)]
            record(back, own)
            record(back, other)
            record(hops, nil)
            let pair = newAlias()
            return FilterSource(
                from: """
                    \(sql: pairs.sql) AS \(sql: pair) JOIN \(sql: layout.table(of: destination).sql) AS \(sql: alias) \
                    ON \(sql: alias)._pk = \(sql: pair).\(sql: pairs.columns[other].sql)
                    """,
                condition: "\(sql: pair).\(sql: pairs.columns[own].sql) = \(row.key)", member: member(hops), owner: row)
        }
    }
}

/// The members of a to-many relationship as a part of a statement.
struct FilterSource {
    let from: SQLFragment
    let condition: SQLFragment
    let member: FilterRow
    let owner: FilterRow

    /// Whether there is always a row whose members these are.
    var hasOwner: Bool { owner.alias != nil }
}
