// Deleting history by choice. What others still have to read stays, whoever asks; so does the newest transaction, because positions must
// not be given twice.

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
