// The change log as history: transactions in order, and what each did to which row. Reads only, so any connection of the file will do.
//
// A transaction is a run of neighbouring entries with one number. SQLite lets one writer in at a time, so the entries of a transaction of
// ours are neighbours. Edits by other programs have no number; neighbouring ones cannot be told apart and count as one transaction, until
// the outbox gives them a number. The position of the last entry names the transaction: it grows, and is never given twice.

package import SluiceSQLite
package import SluiceSchema

/// A transaction in the log, without its changes.
package struct LoggedTransaction: Hashable, Sendable {
    /// Positions of its first and last entries.
    package let first: Int64
    package let last: Int64
    /// When it was committed, in milliseconds since 1970. For an edit by another program the latest moment at which it can have been.
    package let milliseconds: Int64
    package let origin: ChangeOrigin
    /// Who made it: the author that was named, else a plain name for where it comes from, nil for an edit of this program without an
    /// author.
    package let author: String?
}

extension ChangeOrigin {
    /// What history calls a transaction of this origin that names no author.
    package var author: String? {
        switch self {
        case .local: nil
        case .pull: "pull"
        case .import: "import"
        case .migration: "migration"
        }
    }

    /// What history calls edits of programs that do not go through us, such as the sqlite3 shell.
    package static let foreignAuthor = "another program"
}

/// Reads the log of one store file.
package struct LogReader {
    package let connection: Connection
    package let layout: StoredSchema
    /// Numbers of `layout.tables` in the log.
    let numbers: [Int64]
    /// Moment of the file's last change, for entries that say nothing of theirs.
    private let lastWrite: () -> Int64

    /// nil for a store that keeps no log.
    /// - Parameter lastWrite: milliseconds since 1970 of the file's last change; asked for edits of other programs only.
    package init?(_ connection: Connection, layout: StoredSchema, lastWrite: @escaping () -> Int64) throws {
        guard try connection.integer("SELECT count(*) FROM sqlite_master WHERE name = '_sluice_change'") == 1 else { return nil }
        self.connection = connection
        self.layout = layout
        self.lastWrite = lastWrite
        let known = Dictionary(
            try connection.rows("SELECT name, number FROM _sluice_table") { ($0.text(0), $0.integer(1)) },
            uniquingKeysWith: { first, _ in first })
        numbers = layout.tables.map { known[$0.name] ?? -1 }
    }

    /// Positions of the oldest and the newest entry; nil for an empty log.
    package func extent() throws -> ClosedRange<Int64>? {
        let newest = try connection.integer("SELECT max(seq) FROM _sluice_change")
        guard newest > 0 else { return nil }
        return try connection.integer("SELECT min(seq) FROM _sluice_change")...newest
    }

    /// Transactions whose entries lie after `lower` and not after `upper`, in order.
    package func transactions(after lower: Int64, through upper: Int64, newestFirst: Bool = false) throws -> TransactionCursor {
        try TransactionCursor(self, after: lower, through: upper, newestFirst: newestFirst)
    }

    /// Tables with entries after a position.
    package func changedTables(after sequence: Int64) throws -> Set<Int> {
        let changed = try connection.rows("SELECT DISTINCT tbl FROM _sluice_change WHERE seq > ?", [.integer(sequence)]) { $0.integer(0) }
        return Set(changed.compactMap(numbers.firstIndex))
    }

    func transaction(_ number: Int64?, first: Int64, last: Int64) throws -> LoggedTransaction {
        if let number {
            let known = try connection.firstRow(
                "SELECT at, origin, author FROM _sluice_transaction WHERE txn = ?", [.integer(number)]
            ) { row in
                let origin = ChangeOrigin(rawValue: row.integer(1)) ?? .local
                let author = row.isNull(2) ? origin.author : row.text(2)
                return LoggedTransaction(first: first, last: last, milliseconds: row.integer(0), origin: origin, author: author)
            }
            if let known { return known }
        }
        return LoggedTransaction(
            first: first, last: last, milliseconds: try latestMoment(of: last), origin: .local, author: ChangeOrigin.foreignAuthor)
    }

    /// The transaction after an entry was committed later than the entry.
    private func latestMoment(of sequence: Int64) throws -> Int64 {
        let next = try connection.value(
            """
            SELECT t.at FROM _sluice_change c JOIN _sluice_transaction t ON t.txn = c.txn WHERE c.seq > ? ORDER BY c.seq LIMIT 1
            """, [.integer(sequence)])
        return next?.integer ?? lastWrite()
    }
}

/// Transactions one after the other, read as they are asked for. Used on the connection's executor.
package final class TransactionCursor {
    private struct Entry {
        let sequence: Int64
        let number: Int64?
    }

    private let reader: LogReader
    private let statement: Statement
    private var ahead: Entry?
    private var isAtEnd = false

    fileprivate init(_ reader: LogReader, after lower: Int64, through upper: Int64, newestFirst: Bool) throws {
        self.reader = reader
        let order = newestFirst ? "DESC" : "ASC"
        statement = try reader.connection.prepare("SELECT seq, txn FROM _sluice_change WHERE seq > ? AND seq <= ? ORDER BY seq \(order)")
        try statement.bind(lower, at: 1)
        try statement.bind(upper, at: 2)
    }

    /// nil after the last one.
    package func next() throws -> LoggedTransaction? {
        guard let start = try ahead ?? entry() else { return nil }
        ahead = nil
        var end = start
        while let entry = try entry() {
            guard entry.number == start.number else {
                ahead = entry
                break
            }
            end = entry
        }
        return try reader.transaction(
            start.number, first: min(start.sequence, end.sequence), last: max(start.sequence, end.sequence))
    }

    private func entry() throws -> Entry? {
        guard !isAtEnd, try statement.step() else {
            // Stepping on would start anew.
            isAtEnd = true
            return nil
        }
        return Entry(sequence: statement.integer(0), number: statement.isNull(1) ? nil : statement.integer(1))
    }
}
