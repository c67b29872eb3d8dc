// The one place that opens a store file. Closing any other descriptor of a live store drops SQLite's POSIX locks for the
// whole process (https://www.sqlite.org/howtocorrupt.html, section 2.2): a second writer gets in and committed rows vanish.
// So no other module opens, copies or hashes a store through a descriptor of its own; a lint test looks for that.
//
// A Connection is not Sendable: whoever opens it owns it, and uses it on one executor. SerialQueueExecutor gives an actor
// a thread of its own for that, so that blocking calls never run on Swift's shared pool.

import CSQLite
import SluiceFailpoints

/// One open SQLite database.
///
///     let connection = try Connection(path: "shop.store", mode: .create)
///     try connection.run("INSERT INTO Item(name) VALUES (?)", ["milk"])
package final class Connection {
    package enum Mode: Sendable {
        /// Reads and writes; makes the file where it is absent.
        case create
        /// Reads and writes; the file must exist.
        case readWrite
        /// Only reads. Never makes or changes a file; a write-ahead log needs its `-shm` beside it.
        case readOnly
        /// A store without a file.
        case memory
    }

    package let path: String
    let handle: OpaquePointer
    private let file: OpenDatabases.File?
    private var cache: [StatementText: Statement] = [:]
    /// How many statements were run, scripts apart: what tells one query from one per row.
    package private(set) var statementCount = 0
    private var transactionDepth = 0
    /// Runs first in every outermost transaction that takes the write lock; what it throws ends the transaction before anything is written.
    package var onWriteLock: ((Connection) throws -> Void)?
    /// Kept alive for SQLite, which holds a pointer to it while it is set.
    var interruption: Interruption?

    /// Nobody asks SQLite how much memory it uses, and keeping count costs a twentieth of an insertion. A program that used SQLite before
    /// keeps its settings.
    private static let configured: Void = {
        _ = sluice_sqlite3_count_no_memory()
        _ = sluice_sqlite3_allocate_pages_singly()
    }()

    /// Statements beyond this number are prepared each time. Preparing allocates: Debian builds SQLite without lookaside.
    private static let cachedStatementCountMax = 256

    /// - Parameter busyTimeout: how long a call waits for another process's lock before it throws `.busy`.
    /// - Throws: `SQLiteError` with `.cannotOpen` where the file or its directory cannot be used.
    package init(path: String, mode: Mode, busyTimeout: Duration = .seconds(5)) throws(SQLiteError) {
        let flags =
            switch mode {
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .readWrite: SQLITE_OPEN_READWRITE
            case .readOnly: SQLITE_OPEN_READONLY
            case .memory: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY
            }
        #if DEBUG
            DiskFault.install()
        #endif
        _ = Self.configured
        var handle: OpaquePointer?
        let name = mode == .memory ? ":memory:" : path
        let code = sqlite3_open_v2(name, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let handle else {
            let error = SQLiteError(code, on: handle, statement: nil, path: path)
            sqlite3_close_v2(handle)
            throw error
        }
        self.handle = handle
        self.path = mode == .memory ? "" : path
        file = OpenDatabases.add(handle)
        sqlite3_busy_timeout(handle, Int32(busyTimeout / .milliseconds(1)))
    }

    deinit {
        cache.removeAll()
        sqlite3_close_v2(handle)
        if let file { OpenDatabases.remove(file) }
    }

    // MARK: Running SQL

    /// Runs a script of any number of statements without values.
    package func execute(_ script: String) throws(SQLiteError) {
        let code = sqlite3_exec(handle, script, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(code, on: handle, statement: script, path: path) }
    }

    /// Runs one statement to its end and returns how many rows it changed.
    @discardableResult
    package func run(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) -> Int {
        let statement = try borrow(sql, values)
        defer { giveBack(statement) }
        while try statement.step() {}
        return Int(sqlite3_changes64(handle))
    }

    /// Calls `body` for each row. The statement is valid until `body` returns.
    package func forEachRow(
        _ sql: String, _ values: [SQLiteValue] = [], _ body: (Statement) throws -> Void
    ) throws {
        let statement = try borrow(sql, values)
        defer { giveBack(statement) }
        while try statement.step() { try body(statement) }
    }

    /// Lends a statement with its values bound, for a loop of the caller's own. It must not leave `body`.
    package func withStatement<Result>(
        _ sql: String, _ values: [SQLiteValue] = [], _ body: (Statement) throws -> Result
    ) throws -> Result {
        let statement = try borrow(sql, values)
        defer { giveBack(statement) }
        return try body(statement)
    }

    /// Runs one statement with the columns of a row as its values, which pass as SQLite holds them.
    /// - Parameter row: the statement that stands on the row, of this connection or another.
    package func run(_ sql: String, columnsOf row: Statement) throws(SQLiteError) {
        statementCount += 1
        let statement = try unused(sql)
        defer { giveBack(statement) }
        guard row.columnCount == statement.parameterCount else { throw misuse(row.columnCount, statement) }
        try statement.bind(columnsOf: row)
        while try statement.step() {}
    }

    private func misuse(_ count: Int32, _ statement: Statement) -> SQLiteError {
        SQLiteError(code: .misuse, message: "\(count) values for \(statement.parameterCount) placeholders", statement: statement.sql, path: path)
    }

    /// Runs one statement for each element, found once for all of them.
    /// - Parameter bind: binds the values of an element, at all positions.
    package func run<Elements: Sequence>(
        _ sql: String, forEach elements: Elements, _ bind: (Statement, Elements.Element) throws -> Void
    ) throws {
        let statement = try unused(sql)
        defer { giveBack(statement) }
        for element in elements {
            statementCount += 1
            try bind(statement, element)
            while try statement.step() {}
            statement.reset()
        }
    }

    /// Every row, turned into a value by `body`. For results whose size is known to be small.
    package func rows<Element>(
        _ sql: String, _ values: [SQLiteValue] = [], _ body: (Statement) throws -> Element
    ) throws -> [Element] {
        var elements: [Element] = []
        try forEachRow(sql, values) { elements.append(try body($0)) }
        return elements
    }

    /// The first row, turned into a value by `body`; nil where there is none.
    package func firstRow<Element>(
        _ sql: String, _ values: [SQLiteValue] = [], _ body: (Statement) throws -> Element
    ) throws -> Element? {
        let statement = try borrow(sql, values)
        defer { giveBack(statement) }
        return try statement.step() ? try body(statement) : nil
    }

    /// The first column of the first row; nil where there is no row.
    package func value(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) -> SQLiteValue? {
        let statement = try borrow(sql, values)
        defer { giveBack(statement) }
        return try statement.step() ? statement.value(0) : nil
    }

    /// The first column of the first row as an integer; 0 where there is no row or it is NULL.
    package func integer(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) -> Int64 {
        try value(sql, values)?.integer ?? 0
    }

    /// A statement of the caller's own, outside the cache. It must not outlive the connection.
    package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        try Statement(sql, on: handle, path: path, persistent: true)
    }

    package var lastInsertRowID: Int64 { sqlite3_last_insert_rowid(handle) }
    /// Rows changed since the connection was opened, those of triggers and foreign key actions included.
    package var totalChangeCount: Int { Int(sqlite3_total_changes64(handle)) }
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Makes a running statement of this connection stop with `.interrupted`. May be called from any thread
    /// (https://www.sqlite.org/c3ref/interrupt.html).
    package nonisolated func interrupt() { sqlite3_interrupt(handle) }

    // MARK: Transactions

    package enum TransactionKind: String, Sendable {
        /// Takes the write lock at once, so that a stale snapshot is found before any work.
        case immediate = "IMMEDIATE"
        /// A consistent view for reading.
        case deferred = "DEFERRED"
    }

    /// Runs `body` in a transaction: commits when it returns, rolls back when it throws. Inside another transaction it is a savepoint.
    package func transaction<Result>(
        _ kind: TransactionKind = .immediate, _ body: () throws -> Result
    ) throws -> Result {
        let savepoint = transactionDepth > 0 ? "sluice_\(transactionDepth)" : nil
        // By way of the cache: a short transaction would spend more time on parsing these words than on its work.
        try run(savepoint.map { "SAVEPOINT \($0)" } ?? "BEGIN \(kind.rawValue)")
        transactionDepth += 1
        defer { transactionDepth -= 1 }
        do {
            if savepoint == nil, kind == .immediate { try onWriteLock?(self) }
            let result = try body()
            if savepoint == nil { Failpoint.pass(.committing) }
            try run(savepoint.map { "RELEASE \($0)" } ?? "COMMIT")
            if savepoint == nil { Failpoint.pass(.committed) }
            return result
        } catch {
            rollBack(to: savepoint)
            throw error
        }
    }

    /// Runs `body` as part of the transaction under way, or else in one of its own.
    ///
    /// An error inside a larger transaction undoes nothing by itself: the caller lets it end that transaction. There is no savepoint because
    /// SQLite walks the journal of an open savepoint at the end of every statement: a savepoint around thousands of statements takes
    /// quadratic time.
    package func joiningTransaction<Result>(_ body: () throws -> Result) throws -> Result {
        transactionDepth > 0 ? try body() : try transaction(.immediate, body)
    }

    /// After some errors (a full disk, an I/O error) SQLite has rolled back by itself; a second rollback would only hide the first error
    /// (https://www.sqlite.org/lang_transaction.html, section 3).
    private func rollBack(to savepoint: String?) {
        guard isInTransaction else { return }
        let script = savepoint.map { "ROLLBACK TO \($0); RELEASE \($0)" } ?? "ROLLBACK"
        sqlite3_exec(handle, script, nil, nil, nil)
    }

    /// Runs `body` while no trigger of this connection fires. The caller does what they would have done.
    package func withoutTriggers(_ body: () throws -> Void) throws {
        try setTriggers(enabled: false)
        do { try body() } catch {
            // The first error is the one to tell; a connection that cannot be reset any more fails at its next statement.
            try? setTriggers(enabled: true)
            throw error
        }
        try setTriggers(enabled: true)
    }

    private func setTriggers(enabled: Bool) throws(SQLiteError) {
        let code = sluice_sqlite3_enable_triggers(handle, enabled ? 1 : 0)
        guard code == SQLITE_OK else { throw SQLiteError(code, on: handle, statement: nil, path: path) }
    }

    /// Turns the enforcement of foreign keys on or off, inside a transaction too. Violations that are there at the time are not found later.
    package func setForeignKeys(enabled: Bool) throws(SQLiteError) {
        let code = sluice_sqlite3_enable_foreign_keys(handle, enabled ? 1 : 0)
        guard code == SQLITE_OK else { throw SQLiteError(code, on: handle, statement: nil, path: path) }
    }

    // MARK: Files

    /// Keeps `-wal` and `-shm` in place when the last connection closes: a reader without write permission cannot make them.
    package func keepWriteAheadLog() throws(SQLiteError) {
        var on: Int32 = 1
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &on)
        guard code == SQLITE_OK else { throw SQLiteError(code, on: handle, statement: nil, path: path) }
    }

    package struct CheckpointResult: Sendable {
        /// A reader or writer kept the log from being emptied.
        package let isBlocked: Bool
        package let framesInLog: Int
        package let framesMoved: Int
    }

    /// Moves the write-ahead log into the main file and empties it. Waits for readers up to the busy timeout.
    package func checkpoint() throws(SQLiteError) -> CheckpointResult {
        var log: Int32 = 0
        var moved: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_TRUNCATE, &log, &moved)
        guard code == SQLITE_OK || code & 0xFF == SQLITE_BUSY else {
            throw SQLiteError(code, on: handle, statement: "PRAGMA wal_checkpoint", path: path)
        }
        return CheckpointResult(isBlocked: code != SQLITE_OK, framesInLog: Int(log), framesMoved: Int(moved))
    }

    /// A number that differs from the last answer once another connection has committed; its own commits leave it alone.
    package func dataVersion() throws(SQLiteError) -> Int64 { try integer("PRAGMA data_version") }

    package func setBusyTimeout(_ timeout: Duration) { sqlite3_busy_timeout(handle, Int32(timeout / .milliseconds(1))) }

    /// Copies the whole database into `destination`, write-ahead log included, as one consistent state.
    /// - Parameter progress: called after each step with pages left and pages in all.
    func backUp(
        into destination: Connection, pagesPerStep: Int32 = 2_048, progress: (Int, Int) throws -> Void = { _, _ in }
    ) throws {
        guard let backup = sqlite3_backup_init(destination.handle, "main", handle, "main") else {
            throw SQLiteError(sqlite3_errcode(destination.handle), on: destination.handle, statement: nil, path: destination.path)
        }
        defer { sqlite3_backup_finish(backup) }
        while true {
            let code = sqlite3_backup_step(backup, pagesPerStep)
            try progress(Int(sqlite3_backup_remaining(backup)), Int(sqlite3_backup_pagecount(backup)))
            switch code {
            case SQLITE_DONE: return
            case SQLITE_OK: continue
            case SQLITE_BUSY, SQLITE_LOCKED: sqlite3_sleep(5)
            default: throw SQLiteError(code, on: destination.handle, statement: nil, path: destination.path)
            }
        }
    }

    /// The faults that `PRAGMA integrity_check` finds; empty for a sound file.
    package func integrityFaults() throws -> [String] {
        try rows("PRAGMA integrity_check(20)") { $0.text(0) }.filter { $0 != "ok" }
    }

    /// The same without comparing indexes with their tables: a fraction of the time.
    package func quickFaults() throws -> [String] {
        try rows("PRAGMA quick_check(20)") { $0.text(0) }.filter { $0 != "ok" }
    }

    // MARK: Statement cache

    private func borrow(_ sql: String, _ values: [SQLiteValue]) throws(SQLiteError) -> Statement {
        statementCount += 1
        let statement = try unused(sql)
        guard values.count == Int(statement.parameterCount) else {
            giveBack(statement)
            throw misuse(Int32(values.count), statement)
        }
        do throws(SQLiteError) {
            for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
        } catch {
            giveBack(statement)
            throw error
        }
        return statement
    }

    /// The cached statement; where that is under way, or there is none, another one.
    private func unused(_ sql: String) throws(SQLiteError) -> Statement {
        let text = StatementText(sql)
        if let cached = cache[text] {
            if !cached.isLent {
                cached.isLent = true
                return cached
            }
            return try Statement(sql, on: handle, path: path, persistent: false)
        }
        let isKept = cache.count < Self.cachedStatementCountMax
        let statement = try Statement(sql, on: handle, path: path, persistent: isKept)
        statement.isLent = true
        if isKept { cache[text] = statement }
        return statement
    }

    private func giveBack(_ statement: Statement) {
        statement.reset()
        statement.isLent = false
    }
}
