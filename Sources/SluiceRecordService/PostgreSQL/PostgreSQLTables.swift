// A service's tables on a PostgreSQL server. Every answer takes a way there and back, so as few as possible are waited for: writes are queued
// and go out with the next read or with the commit; what a request will ask for is asked at once (`readAhead`); a savepoint is only sent where a
// read comes after a write inside it, and most requests have none.

import Foundation
import SluicePostgreSQL
import SluiceSQLite

/// The tables, on one connection, inside one transaction at a time.
final class PostgreSQLTables: TableConnection {
    /// Where a savepoint stands in the queue, if it stands there.
    private struct Savepoint {
        let name: String
        /// Position in the queue, and the connection's `exchangeCount` then; nil: nothing was written inside it yet.
        var place: (position: Int, exchange: Int)?
    }

    let connection: PostgreSQLConnection
    let hasRowNumbers = false
    let readsAhead = true
    private var numbered: [String: String] = [:]
    private var ahead: [TableQuery: PostgreSQLResult] = [:]
    private var savepoints: [Savepoint] = []
    private var cursorCount = 0

    init(_ connection: PostgreSQLConnection) { self.connection = connection }

    /// Before each request: what another one has read ahead is not for this one.
    func beginRequest() { ahead.removeAll() }

    // MARK: Statements

    func write(_ sql: String, _ values: [SQLiteValue]) throws {
        try sendSavepoints()
        try connection.enqueue(text(sql), values.map(PostgreSQLValue.init))
    }

    func run(_ sql: String, _ values: [SQLiteValue]) throws -> Int {
        try sendSavepoints()
        return try connection.run(text(sql), values.map(PostgreSQLValue.init)).changedCount
    }

    func forEachRow(_ sql: String, _ values: [SQLiteValue], _ body: (any TableRow) throws -> Void) throws {
        let known = ahead.isEmpty ? nil : ahead.removeValue(forKey: TableQuery(sql, values))
        let result = try known ?? connection.run(text(sql), values.map(PostgreSQLValue.init))
        for row in 0..<result.rowCount { try body(PostgreSQLRow(result: result, row: row)) }
    }

    func readAhead(_ queries: [TableQuery]) throws {
        guard !queries.isEmpty else { return }
        let results = try connection.run(queries.map { (text($0.sql), $0.values.map(PostgreSQLValue.init)) })
        for (query, result) in zip(queries, results) { ahead[query] = result }
    }

    func forget(_ query: TableQuery) { ahead[query] = nil }

    /// `?` as PostgreSQL writes it. No statement of ours has one in a literal.
    private func text(_ sql: String) -> String {
        if let known = numbered[sql] { return known }
        var count = 0
        var text = ""
        for character in sql {
            if character == "?" {
                count += 1
                text += "$\(count)"
            } else {
                text.append(character)
            }
        }
        numbered[sql] = text
        return text
    }

    // MARK: Cursors

    /// Rows that one answer brings, by how large they were so far: some mebibytes at most, whatever records hold.
    private static let fetchCounts = [8, 64, 512]
    private static let fetchBytes = 2 << 20

    func scan(_ sql: String, _ values: [SQLiteValue], _ body: (any TableRow) throws -> Bool) throws {
        let cursor = "sluice_\(cursorCount)"
        cursorCount += 1
        defer { cursorCount -= 1 }
        try connection.enqueue("DECLARE \(cursor) NO SCROLL CURSOR FOR \(text(sql))", values.map(PostgreSQLValue.init), isPrepared: false)
        var (fetched, bytes, rows) = (Self.fetchCounts[1], 0, 0)
        while true {
            try connection.enqueue("FETCH \(fetched) FROM \(cursor)", isPrepared: false)
            guard let result = try connection.flush().last else { return }
            for row in 0..<result.rowCount {
                guard try body(PostgreSQLRow(result: result, row: row)) else { return try connection.enqueue("CLOSE \(cursor)", isPrepared: false) }
            }
            if result.rowCount < fetched { return try connection.enqueue("CLOSE \(cursor)", isPrepared: false) }
            rows += result.rowCount
            bytes += result.byteCount
            let average = max(1, bytes / rows)
            fetched = Self.fetchCounts.last { $0 * average <= Self.fetchBytes } ?? Self.fetchCounts[0]
        }
    }

    // MARK: Savepoints

    func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        let depth = savepoints.count
        savepoints.append(Savepoint(name: "sluice_\(depth)"))
        do {
            let result = try body()
            let savepoint = savepoints.removeLast()
            guard let place = savepoint.place else { return result }
            // Nothing has gone out since, so nothing can fail between here and there: it was not needed.
            if place.exchange == connection.exchangeCount { connection.removeQueued(at: place.position) } else { try enqueue("RELEASE", savepoint) }
            return result
        } catch {
            let savepoint = savepoints.removeLast()
            ahead.removeAll()
            if let place = savepoint.place {
                if place.exchange == connection.exchangeCount {
                    connection.truncateQueue(to: place.position)
                } else {
                    try enqueue("ROLLBACK TO", savepoint)
                    try enqueue("RELEASE", savepoint)
                }
            }
            throw error
        }
    }

    private func enqueue(_ action: String, _ savepoint: Savepoint) throws { try connection.enqueue("\(action) SAVEPOINT \(savepoint.name)") }

    /// Something is written inside them now.
    private func sendSavepoints() throws {
        for index in savepoints.indices where savepoints[index].place == nil {
            savepoints[index].place = (connection.queuedCount, connection.exchangeCount)
            try connection.enqueue("SAVEPOINT \(savepoints[index].name)")
        }
    }
}

/// One row of a result that is in memory.
struct PostgreSQLRow: TableRow {
    let result: PostgreSQLResult
    let row: Int

    func isNull(_ column: Int32) -> Bool { result.isNull(row, Int(column)) }
    func integer(_ column: Int32) -> Int64 { result.integer(row, Int(column)) }
    func text(_ column: Int32) -> String { result.text(row, Int(column)) }
    func data(_ column: Int32) -> Data { result.data(row, Int(column)) }
}

extension PostgreSQLValue {
    init(_ value: SQLiteValue) {
        switch value {
        case .null: self = .null
        case .integer(let integer): self = .integer(integer)
        // No column of a service holds one; PostgreSQL says so by the type.
        case .real(let real): self = .text("\(real)")
        case .text(let text): self = .text(text)
        case .blob(let data): self = .bytes(data)
        }
    }
}
