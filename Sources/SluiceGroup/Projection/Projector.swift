// What a local store holds is a function of the synced store: for each projection the rows that its query gives now, the references between
// them, and the pairs whose two ends are there. `fill` computes it whole. `advance` brings the result of an earlier moment to this one from
// the rows that changed since, and gives the same. Both run inside a read transaction of the synced store and a write transaction of the
// local one, which they are given.

import SluiceSchema
import SluiceSQLite
import SluiceStore

/// Computes what belongs into a local store. Used on the account's executor, like the two stores.
struct Projector {
    /// Differs where the same rules and the same rows gave another store, or one with other bookkeeping.
    static let version = "projector 3"

    let selections: [Selection]
    let pairs: [PairSelection]
    private let source: StoredSchema
    private let local: StoredSchema

    init(_ projections: [Projection], projected: ProjectedSchema, from source: StoredSchema) throws(GroupError) {
        let local = StoredSchema(projected.schema)
        var selections: [Selection] = []
        for projection in projections { selections.append(try Selection(projection, in: projected, from: source, to: local)) }
        self.selections = selections
        pairs = local.sortedEntities.compactMap { PairSelection($0, from: source, to: local) }
        self.source = source
        self.local = local
    }

    // MARK: From nothing

    /// Fills an empty local store.
    func fill(_ target: Store, from store: Store) throws {
        for selection in selections {
            let rows = selection.query.selecting(selection.transfer.terms)
            try store.connection.forEachRow(rows.sql, rows.values) { row in
                try selection.transfer.copy(row, by: selection.transfer.insertion, into: target, from: store)
            }
            try RankedRows(selection)?.fill(target, from: store)
        }
        for table in local.tables {
            for column in table.columns {
                guard let referenced = column.referencedTable, local.entities[table.name]?.isJoin != true else { continue }
                try target.connection.run(
                    """
                    UPDATE \(table.sql) SET \(column.sql) = NULL
                    WHERE \(column.sql) NOT IN (SELECT _pk FROM \(SQLText.name(referenced)))
                    """)
            }
        }
        for pair in pairs {
            let terms = pair.transfer.terms
            let sql = "SELECT \(terms.text) FROM \(source.tables[pair.transfer.sourceTable].sql) AS t ORDER BY t._pk"
            try store.connection.forEachRow(sql, terms.values) { row in
                try pair.transfer.copy(row, by: pair.transfer.insertion, into: target, from: store)
            }
            try target.connection.run("DELETE FROM \(pair.layout.sql) WHERE \(pair.danglingCondition)")
        }
    }

    // MARK: From an earlier moment

    /// Applies what changed in the synced store. Returns whether anything in the local store did.
    func advance(_ target: Store, from store: Store, changed: [RowKey: ChangedRow]) throws -> Bool {
        let before = target.connection.totalChangeCount
        let routes = ChangedRoutes(changed, in: source)
        // Rows go before others come: a record that was deleted and made again has its name under another key.
        var writes: [(selection: Selection, keys: [Int64])] = []
        var bookkeeping = 0
        for selection in selections {
            let keys = try routes.affected(in: selection.query.entity.table, by: selection.dependencies, of: store)
            guard !keys.isEmpty else { continue }
            writes.append((selection, try removeAndSelect(selection, affected: keys, bookkeeping: &bookkeeping, target: target, store: store)))
        }
        var entered: Set<RowKey> = []
        for (selection, keys) in writes {
            for key in keys where try write(key, of: selection, target: target, store: store) {
                entered.insert(RowKey(table: selection.transfer.sourceTable, key: key))
            }
        }
        try connect(entered, target: target, store: store)
        for pair in pairs {
            try relate(pair, touched: routes.keys(in: pair.transfer.sourceTable), entered: entered, target: target, store: store)
        }
        return target.connection.totalChangeCount > before + bookkeeping
    }

    /// Removes the rows that this projection no longer takes, and returns the keys of those to write.
    /// - Parameter bookkeeping: grows by changes that no helper sees.
    private func removeAndSelect(
        _ selection: Selection, affected: [Int64], bookkeeping: inout Int, target: Store, store: Store
    ) throws -> [Int64] {
        let removed: [Int64]
        let written: [Int64]
        if let ranked = RankedRows(selection) {
            let before = target.connection.totalChangeCount
            let shown = try ranked.shown(after: affected, target: target, store: store)
            bookkeeping += target.connection.totalChangeCount - before
            let difference = SortedDifference(from: try selection.heldKeys(in: target), to: shown)
            removed = difference.gone
            written = Array(Set(difference.come).union(affected.filter(SortedKeys(shown).contains))).sorted()
        } else {
            written = try selection.taken(among: affected, in: store).sorted()
            removed = SortedDifference(from: affected, to: written).gone
        }
        let table = local.tables[selection.transfer.localTable]
        for key in removed {
            try target.connection.run(
                "DELETE FROM \(table.sql) WHERE _pk = ? AND \(selection.ownership.sql)", [.integer(key)] + selection.ownership.values)
        }
        return written
    }

    /// Returns whether the row was not there before.
    private func write(_ key: Int64, of selection: Selection, target: Store, store: Store) throws -> Bool {
        let isNew = try target.connection.value(selection.transfer.presence, [.integer(key)]) == nil
        try copyRow(key, selection.transfer, by: selection.transfer.upsert, target: target, store: store)
        return isNew
    }

    private func copyRow(_ key: Int64, _ transfer: RowTransfer, by sql: String, target: Store, store: Store) throws {
        let row = transfer.selection
        try store.connection.forEachRow(row.text, row.values + [.integer(key)]) { try transfer.copy($0, by: sql, into: target, from: store) }
    }

    /// Sets the references to rows that have just come, on rows that did not change themselves.
    private func connect(_ entered: Set<RowKey>, target: Store, store: Store) throws {
        for selection in selections {
            let localTable = local.tables[selection.transfer.localTable]
            for reference in selection.transfer.references {
                guard let destination = source.tableIndex(named: reference.destination) else { continue }
                let sql = "SELECT _pk FROM \(source.tables[selection.transfer.sourceTable].sql) WHERE \(reference.source.sql) = ?"
                for row in entered.filter({ $0.table == destination }).sorted(by: { $0.key < $1.key }) {
                    try store.connection.forEachRow(sql, [.integer(row.key)]) { statement in
                        try target.connection.run(
                            """
                            UPDATE \(localTable.sql) SET \(reference.local.sql) = ?1
                            WHERE _pk = ?2 AND \(reference.local.sql) IS NOT ?1
                            """, [.integer(row.key), .integer(statement.integer(0))])
                    }
                }
            }
        }
    }

    /// Writes the pairs that changed, and those of rows that have just come. Pairs of rows that went have gone with them.
    private func relate(
        _ pair: PairSelection, touched: [Int64], entered: Set<RowKey>, target: Store, store: Store
    ) throws {
        var keys = Set(touched)
        let sourceTable = source.tables[pair.transfer.sourceTable]
        for (column, end) in zip(sourceTable.columns, pair.sourceEnds) {
            for row in entered where row.table == end {
                keys.formUnion(
                    try store.connection.rows("SELECT _pk FROM \(sourceTable.sql) WHERE \(column.sql) = ?", [.integer(row.key)]) {
                        $0.integer(0)
                    })
            }
        }
        let ordered = keys.sorted()
        for key in ordered { try target.connection.run("DELETE FROM \(pair.layout.sql) WHERE _pk = ?", [.integer(key)]) }
        for key in ordered where try hasEnds(key, pair, target: target, store: store) {
            try copyRow(key, pair.transfer, by: pair.transfer.insertion, target: target, store: store)
        }
    }

    private func hasEnds(_ key: Int64, _ pair: PairSelection, target: Store, store: Store) throws -> Bool {
        let table = source.tables[pair.transfer.sourceTable]
        let terms = table.columns.map(\.sql).joined(separator: ", ")
        guard let ends = try store.connection.firstRow("SELECT \(terms) FROM \(table.sql) WHERE _pk = ?", [.integer(key)], { $0.values() })
        else { return false }
        return try zip(pair.layout.columns, ends).allSatisfy { column, end in
            guard let referenced = column.referencedTable.flatMap(local.tableIndex) else { return false }
            return try target.hasRow(local.tables[referenced], key: end)
        }
    }
}

extension Store {
    fileprivate func hasRow(_ table: TableLayout, key: SQLiteValue) throws -> Bool {
        try connection.firstRow("SELECT 1 FROM \(table.sql) WHERE _pk = ?", [key]) { _ in true } ?? false
    }
}
