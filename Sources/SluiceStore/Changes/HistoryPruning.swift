// Deleting history, by choice and by age. What others still have to read stays, whoever asks; so does the newest transaction, because
// positions must not be given twice.

import SluiceSQLite
import SluiceSchema

/// Who still needs a part of the log.
package struct LogHolder: Hashable, Sendable {
    /// A registered reader's name, `outbox`, or `newest transaction`.
    package let name: String
    /// Entries after this one are needed.
    package let position: Int64
}

extension Store {
    /// Who needs entries of the log, and from where on.
    package func logHolders() throws -> [LogHolder] {
        var holders = try connection.rows("SELECT consumer, seq FROM _sluice_cursor") { row in
            LogHolder(name: row.text(0), position: row.integer(1))
        }
        let waiting = try connection.value("SELECT min(first) - 1 FROM _sluice_pending")?.integer
        // A store that was never synced has no outbox yet.
        if let drained = try syncValue(.drained)?.integer {
            holders.append(LogHolder(name: "outbox", position: min(drained, waiting ?? drained)))
        }
        let newest = try connection.value(
            """
            SELECT max(seq) FROM _sluice_change WHERE txn IS NOT (SELECT txn FROM _sluice_change ORDER BY seq DESC LIMIT 1)
            """)?.integer
        holders.append(LogHolder(name: "newest transaction", position: newest ?? 0))
        return holders
    }

    /// Removes whole transactions from the log. The caller has left out what `logHolders` need.
    package func deleteTransactions(_ transactions: [LoggedTransaction]) throws {
        guard !transactions.isEmpty else { return }
        try connection.joiningTransaction {
            for range in Self.ranges(of: transactions) {
                let bounds: [SQLiteValue] = [.integer(range.lowerBound), .integer(range.upperBound)]
                for number in tableNumbers { try connection.run("DELETE FROM _sluice_old_\(number) WHERE seq BETWEEN ? AND ?", bounds) }
                try connection.run(
                    """
                    DELETE FROM _sluice_transaction WHERE txn < (SELECT max(txn) FROM _sluice_transaction)
                        AND txn IN (SELECT txn FROM _sluice_change WHERE seq BETWEEN ?1 AND ?2)
                        AND NOT EXISTS (
                            SELECT 1 FROM _sluice_change c WHERE c.txn = _sluice_transaction.txn AND c.seq NOT BETWEEN ?1 AND ?2)
                    """, bounds)
                try connection.run("DELETE FROM _sluice_change WHERE seq BETWEEN ? AND ?", bounds)
            }
            try noteCut(at: transactions.map(\.last).max() ?? 0)
        }
    }

    // MARK: Retention

    /// Removes the oldest transactions, those from before a moment and those beyond a number of changes, as far as nobody needs them.
    ///
    /// The caller is a store's only keeper: the log of a store that has an owner, or that was ever synced, is left alone. The same holders
    /// count as for `deleteTransactions`, and no transaction is cut in two.
    /// - Parameters:
    ///   - milliseconds: since 1970; nil for no bound.
    ///   - limit: entries that go at once; the oldest transaction goes whole.
    /// - Returns: how many entries went, and whether nothing is left to do.
    package func pruneHistory(
        before milliseconds: Int64?, keeping countMax: Int, limit: Int = 20_000
    ) throws -> (count: Int, isComplete: Bool) {
        guard capturesChanges, try setting("owner")?.text == nil, try syncValue(.drained) == nil else { return (0, true) }
        func bound() throws -> Int64 {
            let wanted = max(try milliseconds.map(lastEntry(before:)) ?? 0, try lastEntry(beyond: countMax))
            return wanted > 0 ? min(wanted, try logHolders().map(\.position).min() ?? 0) : 0
        }
        // Mostly there is nothing to do; then nobody has to wait for the lock.
        guard try bound() > 0 || hasEmptyTransactions() else { return (0, true) }
        return try connection.joiningTransaction {
            let bound = try bound()
            let reached = try connection.integer(
                "SELECT max(seq) FROM (SELECT seq FROM _sluice_change WHERE seq <= ? ORDER BY seq LIMIT ?)",
                [.integer(bound), SQLiteValue(limit)])
            let last = reached < bound ? min(bound, try end(ofTransactionAt: reached)) : bound
            let count = try removeChanges(through: last)
            if count > 0 { try noteCut(at: last) }
            return (count, last == bound)
        }
    }

    /// Transactions older than the oldest entry: they changed nothing, or what they changed went.
    private static let emptyTransactions = """
        _sluice_transaction WHERE txn < (SELECT max(txn) FROM _sluice_transaction)
            AND txn < coalesce((SELECT txn FROM _sluice_change WHERE txn IS NOT NULL ORDER BY seq LIMIT 1), 9223372036854775807)
        """

    private func hasEmptyTransactions() throws -> Bool {
        try connection.integer("SELECT EXISTS (SELECT 1 FROM \(Self.emptyTransactions))") == 1
    }

    /// The last entry of the last transaction before a moment. Stamps grow with transactions; edits by other programs have none, and are
    /// as old as what comes after them.
    private func lastEntry(before milliseconds: Int64) throws -> Int64 {
        let oldest = try connection.value("SELECT at FROM _sluice_transaction ORDER BY txn LIMIT 1")?.integer
        guard let oldest, oldest < milliseconds else { return 0 }
        let number = try connection.value(
            "SELECT txn FROM _sluice_transaction WHERE at < ? ORDER BY txn DESC LIMIT 1", [.integer(milliseconds)])
        guard let number else { return 0 }
        let next = try connection.value("SELECT seq FROM _sluice_change WHERE txn > ? ORDER BY seq LIMIT 1", [number])
        return try connection.integer(
            "SELECT max(seq) FROM _sluice_change WHERE seq < ? AND txn IS NOT NULL", [next ?? .integer(.max)])
    }

    /// The last entry of the last transaction that has entries beyond the newest `count`.
    private func lastEntry(beyond count: Int) throws -> Int64 {
        let newest = try lastChange()
        let oldest = try connection.integer("SELECT min(seq) FROM _sluice_change")
        // Most logs are short, and counting takes as long as there are entries.
        guard newest > 0, newest - oldest >= count else { return 0 }
        let beyond = try connection.value(
            "SELECT seq FROM _sluice_change ORDER BY seq DESC LIMIT 1 OFFSET ?", [SQLiteValue(max(0, count))])?.integer
        guard let beyond else { return 0 }
        return try end(ofTransactionAt: beyond)
    }

    private func end(ofTransactionAt sequence: Int64) throws -> Int64 {
        let next = try connection.value(
            """
            SELECT seq FROM _sluice_change
                WHERE seq > ?1 AND txn IS NOT (SELECT txn FROM _sluice_change WHERE seq = ?1) ORDER BY seq LIMIT 1
            """, [.integer(sequence)])?.integer
        guard let next else { return try lastChange() }
        return try connection.integer("SELECT max(seq) FROM _sluice_change WHERE seq < ?", [.integer(next)])
    }

    /// Removes the oldest entries, their old values, and transactions that have none left. Inside a transaction.
    private func removeChanges(through last: Int64) throws -> Int {
        for number in tableNumbers { try connection.run("DELETE FROM _sluice_old_\(number) WHERE seq <= ?", [.integer(last)]) }
        let count = try connection.run("DELETE FROM _sluice_change WHERE seq <= ?", [.integer(last)])
        try connection.run("DELETE FROM \(Self.emptyTransactions)")
        return count
    }

    /// An outbox that starts later must know that the log alone no longer tells which rows there are.
    private func noteCut(at sequence: Int64) throws {
        guard try syncValue(.drained) == nil else { return }
        let before = try syncValue(.cut)?.integer ?? 0
        if sequence > before { try setSyncValue(.integer(sequence), for: .cut) }
    }

    /// Neighbouring transactions as one range.
    private static func ranges(of transactions: [LoggedTransaction]) -> [ClosedRange<Int64>] {
        var ranges: [ClosedRange<Int64>] = []
        for transaction in transactions.sorted(by: { $0.first < $1.first }) {
            if let last = ranges.last, last.upperBound + 1 == transaction.first {
                ranges[ranges.count - 1] = last.lowerBound...transaction.last
            } else {
                ranges.append(transaction.first...transaction.last)
            }
        }
        return ranges
    }
}
