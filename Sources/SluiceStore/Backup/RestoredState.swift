// What a copy of an older state has to learn before it takes the place of a newer one.
//
// - Positions of the log, numbers of transactions and keys of rows that the newer state gave are not given again: whoever kept one would be
//   shown something else. What history says between the two states is gone, and whoever asks from there is told so.
// - A synced store learns which of its changes were sent since (RestoredOutbox).
//
// Settings in `_sluice_store`: `restored.line`, a UUID made by each restore: two files with one line and one identifier are two states of
// one history. `restored.gap.<n>`, a position m: history after n and up to m was replaced.

import Foundation
import SluiceSQLite
import SluiceSchema

/// A copy that is being made ready. Used on one thread.
struct RestoredState {
    private let store: Store
    private let replaced: Connection?
    private let now: Date
    /// The newer state, if the copy is an older state of the same file.
    private let continuation: Connection?
    /// What the copy is known by once it is in its place.
    let line = UUID().uuidString
    let isSynced: Bool
    /// Records with changes that are in the newer state only, and were never sent from there.
    let unsentCount: Int

    /// - Parameters:
    ///   - path: the copy; one file without a log, which nobody else uses.
    ///   - date: when the copy was made.
    ///   - replaced: what it is to replace; nil where that cannot be read.
    init(at path: String, from date: Date, replacing replaced: Connection?, at now: Date) throws {
        let connection = try Connection(path: path, mode: .readWrite)
        let schema = try Store.schema(in: connection)
        var options = Store.Options(zone: schema.name)
        // An edit by another program that the copy's outbox has not seen yet was made before the copy.
        options.now = { date }
        let store = try Store(connection, path: path, schema: schema, options: options, fixedOrigin: nil)
        self.store = store
        self.replaced = replaced
        self.now = now
        let continues = try replaced.map { try Self.continues(store, in: $0) } ?? false
        continuation = continues ? replaced : nil
        isSynced = try RestoredOutbox.isSynced(store)
        guard isSynced, let replaced else {
            unsentCount = 0
            return
        }
        unsentCount = try RestoredOutbox.unsentCount(in: replaced, after: continues ? store.lastChange() : 0)
    }

    static let lineKey = "restored.line"
    private static let gapPrefix = "restored.gap."

    /// Whether `other` is a later state of the store's own history.
    private static func continues(_ store: Store, in other: Connection) throws -> Bool {
        guard store.capturesChanges, try store.identifier.uuidString == StoreHeader.value("store", in: other)?.text,
            try store.setting(lineKey)?.text == StoreHeader.value(lineKey, in: other)?.text
        else { return false }
        return try other.integer("SELECT max(seq) FROM _sluice_change") >= store.lastChange()
    }

    /// One transaction.
    func prepare() throws {
        try store.connection.transaction {
            if isSynced { try RestoredOutbox(store: store, continuation: continuation, replaced: replaced).settle() }
            try store.set(.text(line), for: Self.lineKey)
            guard store.capturesChanges else { return }
            if let replaced, try StoreHeader.value("store", in: replaced)?.text == store.identifier.uuidString {
                try keepKeys(of: replaced)
                try keepPositions(of: replaced)
            }
        }
    }

    /// Rows that come get keys that no row had in either state.
    private func keepKeys(of replaced: Connection) throws {
        for (table, last) in try replaced.rows("SELECT name, seq FROM sqlite_sequence", [], { ($0.text(0), $0.integer(1)) }) {
            let values: [SQLiteValue] = [.text(table), .integer(last)]
            if try store.connection.run("UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1", values) > 0 { continue }
            try store.connection.run(
                "INSERT INTO sqlite_sequence(name, seq) SELECT name, ?2 FROM sqlite_master WHERE type = 'table' AND name = ?1", values)
        }
    }

    /// The restore is a transaction of its own in the log, after everything that either state had. Its entry is of table 0, which no table
    /// has.
    private func keepPositions(of replaced: Connection) throws {
        let last = try store.lastChange()
        let position = try max(last, replaced.integer("SELECT max(seq) FROM _sluice_change")) + 1
        func newest(_ connection: Connection) throws -> (number: Int64, at: Int64) {
            (
                try connection.integer("SELECT max(txn) FROM _sluice_transaction"),
                try connection.integer("SELECT max(at) FROM _sluice_transaction")
            )
        }
        let (own, other) = (try newest(store.connection), try newest(replaced))
        let milliseconds = max(Int64((now.timeIntervalSince1970 * 1_000).rounded()), own.at, other.at)
        let number = max(own.number, other.number) + 1
        try store.connection.run(
            "INSERT INTO _sluice_transaction(txn, at, origin, author) VALUES (?, ?, ?, 'restore')",
            [.integer(number), .integer(milliseconds), .integer(ChangeOrigin.migration.rawValue)])
        try store.connection.run(
            "INSERT INTO _sluice_change(seq, txn, tbl, row, kind, origin) VALUES (?, ?, 0, 0, ?, ?)",
            [.integer(position), .integer(number), .integer(ChangeKind.update.rawValue), .integer(ChangeOrigin.migration.rawValue)])
        if position > last + 1 { try store.set(.integer(position - 1), for: "\(Self.gapPrefix)\(last)") }
    }
}

extension LogReader {
    /// Whether the log once went on from a position with something else than it does now: a backup was put in the store's place.
    package func wasReplaced(after position: Int64) throws -> Bool {
        let gaps = try connection.rows("SELECT key, value FROM _sluice_store WHERE key GLOB 'restored.gap.*'") {
            (Int64($0.text(0).dropFirst("restored.gap.".count)) ?? .max, $0.integer(1))
        }
        return gaps.contains { lower, upper in lower < position && position <= upper }
    }
}
