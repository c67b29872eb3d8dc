// From rows that changed to the rows of a projection that look at them. A row's value depends on other rows over steps from row to row, and
// every one of those steps is known (`FilterDependency`). So from a row that changed the steps are gone backwards:
//
// - over the references as they are now; and
// - where a row refers to the one that looks at it, also from each row that it referred to before: a child that moved concerns the parent it
//   left.
//
// That is enough, however many steps changed at once. Take a row whose value changed, and the first step on the way from it that leads
// elsewhere than before, or the row at its end whose columns changed: all steps up to there are as they were, so going back over them as
// they are now arrives at the row.

import SluiceSchema
import SluiceSQLite
import SluiceStore

/// The changes between two generations, by table.
struct ChangedRoutes {
    private let source: StoredSchema
    private let changes: [Int: [Int64: ChangedRow]]

    init(_ changed: [RowKey: ChangedRow], in source: StoredSchema) {
        self.source = source
        var changes: [Int: [Int64: ChangedRow]] = [:]
        for (row, change) in changed { changes[row.table, default: [:]][row.key] = change }
        self.changes = changes
    }

    /// Rows of a table that changed themselves, ascending.
    func keys(in table: Int) -> [Int64] { changes[table]?.keys.sorted() ?? [] }

    /// Keys of the rows of `table` that may come, go, or look otherwise, ascending.
    func affected(in table: Int, by dependencies: [FilterDependency], of store: Store) throws -> [Int64] {
        var keys = changes[table].map { Set($0.keys) } ?? []
        for dependency in dependencies { keys.formUnion(try rows(over: dependency, in: store)) }
        return keys.sorted()
    }

    private func rows(over dependency: FilterDependency, in store: Store) throws -> Set<Int64> {
        guard let rows = changes[dependency.table] else { return [] }
        let concerned = rows.filter { $0.value.isWhole || !$0.value.columns.isDisjoint(with: dependency.columns) }
        var result = try back(Set(concerned.keys), over: dependency.hops[...], in: store)
        if case .back(_, let column, _)? = dependency.hops.last {
            let left = Set(concerned.values.flatMap { $0.former[column] ?? [] })
            result.formUnion(try back(left, over: dependency.hops.dropLast(), in: store))
        }
        return result
    }

    /// The rows that some rows are reached from, at the beginning of the steps.
    private func back(_ keys: Set<Int64>, over hops: ArraySlice<FilterHop>, in store: Store) throws -> Set<Int64> {
        guard !keys.isEmpty, let hop = hops.last else { return keys }
        var before: Set<Int64> = []
        let statement: String
        switch hop {
        case .out(let table, let column, _):
            let layout = source.tables[table]
            statement = "SELECT _pk FROM \(layout.sql) WHERE \(layout.columns[column].sql) IN (SELECT value FROM json_each(?))"
        case .back(let table, let column, _):
            let layout = source.tables[table]
            let name = layout.columns[column].sql
            statement = "SELECT \(name) FROM \(layout.sql) WHERE _pk IN (SELECT value FROM json_each(?)) AND \(name) IS NOT NULL"
        }
        let list = "[" + keys.sorted().map(String.init).joined(separator: ",") + "]"
        try store.connection.forEachRow(statement, [.text(list)]) { before.insert($0.integer(0)) }
        return try back(before, over: hops.dropLast(), in: store)
    }
}
