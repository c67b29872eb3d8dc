// A read transaction keeps its writer from emptying the log, so it must end whatever its owner does: run on, sleep, forget it. Statements
// stop by themselves when the time is up (`Connection.setDeadline`); a timer closes the connection even where nobody runs one. Whoever
// comes afterwards is told that the time was up, and reads again for a newer state.

import Dispatch
package import SluiceSQLite
import SluiceSchema

/// One read transaction with an end. May be used by any thread, by one at a time.
package final class BoundedRead: @unchecked Sendable {
    // Sendable: `connection` and `statements` are touched under `lock` only.

    private let lock = ThreadLock()
    private var connection: Connection?
    /// Few at a time, as nearly always one: a list costs a helper less at its start than a dictionary.
    private var statements: [(cursor: Int, statement: Statement)] = []
    private var statementCount = 0
    private let deadline: ContinuousClock.Instant
    private var timer: DispatchWorkItem?

    private static let queue = DispatchQueue(label: "SluiceReader.BoundedRead")

    /// - Parameter isWatched: false where whoever made it surely ends it soon; it then has no timer.
    /// - Throws: `SQLiteError`.
    package init(path: String, limit: Duration, isWatched: Bool) throws(SQLiteError) {
        deadline = .now + limit
        let connection = try Connection(path: path, mode: .readOnly, busyTimeout: .seconds(1))
        try FilterFunctions.install(on: connection)
        connection.setDeadline(deadline)
        try connection.execute("BEGIN DEFERRED")
        self.connection = connection
        guard isWatched else { return }
        let timer = DispatchWorkItem { [weak self] in self?.end() }
        self.timer = timer
        Self.queue.asyncAfter(deadline: .now() + limit / .seconds(1), execute: timer)
    }

    deinit { timer?.cancel() }

    /// Lends the connection; it must not leave `body`.
    /// - Throws: `DeadlinePassed`, or what `body` throws.
    package func use<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try lock.withLock {
            guard let connection, ContinuousClock.now < deadline else { throw DeadlinePassed() }
            return try body(connection)
        }
    }

    /// Closes the connection, and with it the transaction. Waits for a statement's step that is under way.
    package func end() {
        timer?.cancel()
        lock.withLock {
            // A connection with statements left stays open behind the scenes.
            statements = []
            connection = nil
        }
    }

    // MARK: Rows, one after the other. Between two steps nobody holds the lock.

    func open(_ sql: String, _ values: [SQLiteValue]) throws -> Int {
        try use { connection in
            let statement = try connection.prepare(sql)
            for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
            statementCount += 1
            statements.append((statementCount, statement))
            return statementCount
        }
    }

    /// The next row as `body` reads it; nil after the last one.
    func step<Row>(_ cursor: Int, _ body: (Statement) throws -> Row) throws -> Row? {
        try use { _ in
            guard let statement = statements.first(where: { $0.cursor == cursor })?.statement, try statement.step() else { return nil }
            return try body(statement)
        }
    }

    func close(_ cursor: Int) { lock.withLock { statements.removeAll { $0.cursor == cursor } } }
}

struct DeadlinePassed: Error {}
