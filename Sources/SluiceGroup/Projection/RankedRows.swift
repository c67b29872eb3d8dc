// Which rows are the first ones of a rule with a limit, without looking at all of them each time. Beside the rows that are shown the keys of
// the next ones are remembered (half as many again). Of a row that did not change and is not among them one thing is known: it comes
// after them all. So a change sorts the remembered rows and the changed ones, and everything up to the last remembered one that did not
// change is certain. Only when more rows left than were in reserve is the order asked of the whole table again.
//
// _sluice_ranked   entity, key: remembered rows of a rule, those that are shown among them
// Settings: `ranked.<entity>` is 1 where those are all rows that the rule would take without its limit.

import SluiceSchema
import SluiceSQLite
import SluiceStore

/// The first rows of one rule. Used inside the transactions of both stores.
struct RankedRows {
    let selection: Selection
    let limit: Int

    static let table = "CREATE TABLE IF NOT EXISTS _sluice_ranked (entity TEXT, key INTEGER, PRIMARY KEY (entity, key)) WITHOUT ROWID"

    init?(_ selection: Selection) {
        guard let limit = selection.projection.limit else { return nil }
        self.selection = selection
        self.limit = limit
    }

    /// How many keys are remembered at most.
    var capacity: Int { limit + max(32, limit / 2) }
    private var entity: SQLiteValue { .text(selection.projection.entity) }
    private var setting: String { "ranked.\(selection.projection.entity)" }

    /// Remembers the first rows of a store that is being filled.
    func fill(_ target: Store, from store: Store) throws {
        let first = try first(in: store)
        try remember(first.keys, from: [], isComplete: first.isComplete, in: target)
    }

    /// Keys of the rows to show after some may have changed, ascending.
    func shown(after changed: [Int64], target: Store, store: Store) throws -> [Int64] {
        let known = try target.connection.rows("SELECT key FROM _sluice_ranked WHERE entity = ? ORDER BY key", [entity]) { $0.integer(0) }
        var isComplete = try target.setting(setting)?.integer == 1
        let touched = SortedKeys(changed)
        let untouched = known.filter { !touched.contains($0) }
        var ranked = try selection.taken(among: (untouched + changed).sorted(), isOrdered: true, in: store)
        if !isComplete {
            let kept = SortedKeys(untouched)
            ranked = Array(ranked.prefix(through: ranked.lastIndex(where: kept.contains) ?? -1))
            if ranked.count < limit { (ranked, isComplete) = try first(in: store) }
        }
        if ranked.count > capacity { isComplete = false }
        ranked = Array(ranked.prefix(capacity))
        try remember(ranked, from: known, isComplete: isComplete, in: target)
        return ranked.prefix(limit).sorted()
    }

    private func first(in store: Store) throws -> (keys: [Int64], isComplete: Bool) {
        let statement = selection.query.keys(first: capacity + 1)
        let keys = try store.connection.rows(statement.sql, statement.values) { $0.integer(0) }
        return (Array(keys.prefix(capacity)), keys.count <= capacity)
    }

    private func remember(_ keys: [Int64], from known: [Int64], isComplete: Bool, in target: Store) throws {
        let difference = SortedDifference(from: known, to: keys.sorted())
        for key in difference.gone {
            try target.connection.run("DELETE FROM _sluice_ranked WHERE entity = ? AND key = ?", [entity, .integer(key)])
        }
        for key in difference.come {
            try target.connection.run("INSERT INTO _sluice_ranked(entity, key) VALUES (?, ?)", [entity, .integer(key)])
        }
        let flag: Int64 = isComplete ? 1 : 0
        if try target.setting(setting)?.integer != flag { try target.set(.integer(flag), for: setting) }
    }
}

extension Array {
    /// Everything up to an index; nothing for −1.
    fileprivate func prefix(through index: Int) -> ArraySlice<Element> { prefix(index + 1) }
}
