/// Ascending keys, searched by halving: half the memory of a set, which counts for entities with a million rows.
struct SortedKeys {
    private let keys: [Int64]

    /// - Precondition: `keys` ascend.
    init(_ keys: [Int64]) { self.keys = keys }

    func contains(_ key: Int64) -> Bool {
        var range = keys[...]
        while !range.isEmpty {
            let middle = range.startIndex + range.count / 2
            if range[middle] == key { return true }
            range = range[middle] < key ? range[(middle + 1)...] : range[..<middle]
        }
        return false
    }
}

/// What differs between two ascending lists of keys.
struct SortedDifference {
    private(set) var gone: [Int64] = []
    private(set) var come: [Int64] = []

    init(from old: [Int64], to new: [Int64]) {
        var (left, right) = (old[...], new[...])
        while let first = left.first, let second = right.first {
            if first < second { gone.append(first) }
            if second < first { come.append(second) }
            if first <= second { left = left.dropFirst() }
            if second <= first { right = right.dropFirst() }
        }
        gone += left
        come += right
    }
}
