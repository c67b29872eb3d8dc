/// Finds what somebody who mistyped a word probably meant.
package enum Spelling {
    /// The known word nearest to `word`, if it is near enough to be worth suggesting.
    ///
    /// Near enough means: at most one slip in three characters. Case is ignored, and `-` and `_` count as nothing, so that
    /// `unix_group` finds `unixGroup`. Among equally near words the first one wins.
    package static func nearest<Words: Sequence>(to word: String, in known: Words) -> String? where Words.Element == String {
        let typed = plain(word)
        var best: (word: String, distance: Int)?
        for candidate in known where candidate != word {
            let name = plain(candidate)
            let limit = max(1, max(typed.count, name.count) / 3)
            let distance = distance(typed, name)
            if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.word
    }

    private static func plain(_ word: String) -> [Character] {
        word.lowercased().filter { $0 != "-" && $0 != "_" }
    }

    /// How many characters were inserted, left out, replaced or swapped with their neighbour.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        // Words are typed by people; beyond this length nothing is a slip, and the table below stays small.
        guard left.count <= 64, right.count <= 64 else { return .max }
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (row, character) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var cost = min(last[column + 1] + 1, current[column] + 1, last[column] + (character == other ? 0 : 1))
                if row > 0, column > 0, character == right[column - 1], left[row - 1] == other {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
