/// The rows that models without one will have: given out before a save writes anything, so that rows may refer to each other in any order.
final class RowKeys {
    /// By the distance of a key from the first: keys of new models count down, and those of one save lie close together.
    private var rows: [Int64] = []
    private var first: Int64 = 0
    /// The same where they do not.
    private var scattered: [Int64: Int64] = [:]
    /// Rows that this save deletes: nothing points at them any more.
    private var deleted: [Int: Set<Int64>] = [:]
    /// Models that turned out to be another row's: its unique values are theirs.
    private(set) var merged: Set<Int64> = []

    /// - Parameter keys: of every new model of the save.
    init(for keys: some Sequence<Int64>) {
        var (low, high, count) = (Int64.max, Int64.min, Int64(0))
        for key in keys { (low, high, count) = (min(low, key), max(high, key), count + 1) }
        guard low <= high, high - low < count * 4 + 1_024 else { return }
        first = high
        rows = Array(repeating: 0, count: Int(high - low) + 1)
    }

    /// The row of a key; nil where this save deletes it.
    func row(_ key: Int64, table: Int) -> Int64? {
        let row = key > 0 ? key : given(key)
        guard !deleted.isEmpty, deleted[table]?.contains(row) == true else { return row }
        return nil
    }

    private func given(_ key: Int64) -> Int64 {
        guard !rows.isEmpty else { return scattered[key] ?? key }
        let place = first - key
        return place >= 0 && place < rows.count && rows[Int(place)] != 0 ? rows[Int(place)] : key
    }

    func give(_ row: Int64, to key: Int64) {
        if rows.isEmpty { scattered[key] = row } else { rows[Int(first - key)] = row }
    }

    /// The model of `key` becomes the row that is there already.
    func merge(_ key: Int64, into row: Int64) {
        give(row, to: key)
        merged.insert(key)
    }

    func delete(_ row: Int64, table: Int) { deleted[table, default: []].insert(row) }
}
