import Foundation
import SluiceSQLite
import SluiceSchema

extension Store {
    /// Runs `body` in one write transaction whose changes are logged under `origin`.
    ///
    /// When it returns, the changes are on disk (WAL, `synchronous = FULL`); when it throws, there are none.
    /// - Parameter author: who is named in history; a program's choice.
    @discardableResult
    package func write<Result>(
        _ origin: ChangeOrigin = .local, author: String? = nil, _ body: () throws -> Result
    ) throws -> Result {
        if let fixedOrigin, !isWritingInMigration { return try writeInMigration { try write(fixedOrigin, author: author, body) } }
        return try connection.joiningTransaction {
            guard capturesChanges, !isCapturing else { return try body() }
            isCapturing = true
            defer { isCapturing = false }
            try beginCapture(origin, author: author)
            let result = try body()
            try endCapture()
            return result
        }
    }

    /// Inside a migration there is nothing to roll back to but the old store: who goes on after a write that failed must not commit.
    private func writeInMigration<Result>(_ body: () throws -> Result) throws -> Result {
        if isRetired { throw StoreError.schemaMismatch(path: path, difference: "this store is from before a step of the migration") }
        isWritingInMigration = true
        defer { isWritingInMigration = false }
        do { return try body() } catch {
            if failedWrite == nil { failedWrite = error }
            throw error
        }
    }

    /// Inside a write transaction: logs what `body` changes under another origin. A merge writes what the service said and what
    /// it has to be told in one transaction.
    package func withOrigin<Result>(_ origin: ChangeOrigin, _ body: () throws -> Result) throws -> Result {
        if fixedOrigin != nil { return try body() }
        let before = try connection.integer("SELECT origin FROM _sluice_capture")
        try connection.run("UPDATE _sluice_capture SET origin = ?", [.integer(origin.rawValue)])
        let result = try body()
        try connection.run("UPDATE _sluice_capture SET origin = ?", [.integer(before)])
        return result
    }

    /// Inside a write transaction, that of a migration too: logs what `body` changes as the service's word.
    package func withServiceOrigin<Result>(_ body: () throws -> Result) throws -> Result {
        let before = try connection.integer("SELECT origin FROM _sluice_capture")
        try connection.run("UPDATE _sluice_capture SET origin = ?", [.integer(ChangeOrigin.pull.rawValue)])
        let result = try body()
        try connection.run("UPDATE _sluice_capture SET origin = ?", [.integer(before)])
        return result
    }

    /// Inside a write transaction: inserts many rows without firing triggers, and logs them afterwards in one statement per table.
    ///
    /// `body` only inserts rows, whose keys lie in `keys` of their tables. A trigger per row takes longer than the row itself.
    package func insertingMany(keys: [Int: ClosedRange<Int64>], _ body: () throws -> Void) throws {
        guard capturesChanges else { return try body() }
        try connection.withoutTriggers(body)
        for (table, range) in keys.sorted(by: { $0.key < $1.key }) {
            try connection.run(
                """
                INSERT INTO _sluice_change(txn, tbl, row, kind, origin, id)
                    SELECT c.txn, ?1, t._pk, ?2, c.origin, NULL FROM _sluice_capture AS c, \(layout.tables[table].sql) AS t
                    WHERE t._pk BETWEEN ?3 AND ?4 ORDER BY t._pk
                """,
                [.integer(tableNumbers[table]), .integer(ChangeKind.insert.rawValue), .integer(range.lowerBound), .integer(range.upperBound)])
        }
    }

    /// Runs `body` on one consistent state of the store.
    package func read<Result>(_ body: () throws -> Result) throws -> Result {
        connection.isInTransaction ? try body() : try connection.transaction(.deferred, body)
    }

    private func beginCapture(_ origin: ChangeOrigin, author: String?) throws {
        let milliseconds = nowMilliseconds
        // Stamps grow with transactions even when the clock steps back: history is read in this order.
        try connection.run(
            """
            INSERT INTO _sluice_transaction(at, origin, author)
                VALUES (max(?1, coalesce((SELECT at FROM _sluice_transaction ORDER BY txn DESC LIMIT 1), 0)), ?2, ?3)
            """, [.integer(milliseconds), .integer(origin.rawValue), SQLiteValue(author)])
        try connection.run(
            "UPDATE _sluice_capture SET txn = ?, origin = ?", [.integer(connection.lastInsertRowID), .integer(origin.rawValue)])
    }

    /// Between transactions of ours the log says `local` without a transaction: that is an edit by another program.
    private func endCapture() throws {
        try connection.run("UPDATE _sluice_capture SET txn = NULL, origin = ?", [.integer(ChangeOrigin.local.rawValue)])
    }
}
