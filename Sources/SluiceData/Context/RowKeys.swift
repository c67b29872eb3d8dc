/// The rows that models without one will have: given out before a save writes anything, so that rows may refer to each other in any order.
final class RowKeys {
    private var rows: [Int64: Int64] = [:]
    /// Rows that this save deletes: nothing points at them any more.
    private var deleted: [Int: Set<Int64>] = [:]
    /// Models that turned out to be another row's: its unique values are theirs.
    private(set) var merged: Set<Int64> = []

    /// The row of a key; nil where this save deletes it.
    func row(_ key: Int64, table: Int) -> Int64? {
        let row = key > 0 ? key : rows[key] ?? key
        return deleted[table]?.contains(row) == true ? nil : row
    }

    func give(_ row: Int64, to key: Int64) { rows[key] = row }

    /// The model of `key` becomes the row that is there already.
    func merge(_ key: Int64, into row: Int64) {
        rows[key] = row
        merged.insert(key)
    }

    func delete(_ row: Int64, table: Int) { deleted[table, default: []].insert(row) }
}
