import SluicePostgreSQL
import SluiceRecords
import SluiceSQLite
import Synchronization

/// One connection that reads, on a thread of its own. It is made when it is needed, and made again when it was lost.
actor PostgreSQLSession {
    private let executor: SerialQueueExecutor
    private let server: PostgreSQLServer
    private var tables: PostgreSQLTables?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ server: PostgreSQLServer, number: Int) {
        executor = SerialQueueExecutor(label: "sluice.records.postgresql.reader.\(number)")
        self.server = server
    }

    static let readEpoch = "/* global: the timeline */ SELECT epoch FROM service"

    /// Runs `body` in one read transaction: everything it reads is of one committed state.
    func read<Result: Sendable>(_ body: @Sendable (FeedReading) throws -> Result) throws(StorageError) -> Result {
        try attempt { tables in
            try tables.connection.enqueue("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            let epoch = Epoch(rawValue: UInt64(bitPattern: try tables.connection.run(Self.readEpoch).integer(0, 0)))
            let result = try body(FeedReading(connection: tables, epoch: epoch))
            try tables.connection.enqueue("COMMIT")
            try tables.connection.flush()
            return result
        }
    }

    /// Runs `body` without a transaction around it: each of its statements sees what is committed when it begins.
    func look<Result: Sendable>(_ body: @Sendable (PostgreSQLTables) throws -> Result) throws(StorageError) -> Result { try attempt(body) }

    /// Reading twice does no harm, so a connection that turns out to be gone is made again once.
    private func attempt<Result>(_ body: (PostgreSQLTables) throws -> Result) throws(StorageError) -> Result {
        do {
            do {
                return try run(body)
            } catch let error as PostgreSQLError where error.isLost {
                return try run(body)
            }
        } catch {
            throw StorageError(error)
        }
    }

    private func run<Result>(_ body: (PostgreSQLTables) throws -> Result) throws -> Result {
        let tables = try self.tables ?? server.connectToTables()
        self.tables = nil
        tables.beginRequest()
        do {
            let result = try body(tables)
            self.tables = tables
            return result
        } catch {
            // The connection is kept only where it is certain in what state it is.
            tables.connection.truncateQueue(to: 0)
            if !tables.connection.isLost, (try? tables.connection.run("ROLLBACK")) != nil { self.tables = tables }
            throw error
        }
    }
}

/// A few sessions; who finds none free waits for its turn.
final class PostgreSQLPool: Sendable {
    private struct State {
        var free: [PostgreSQLSession]
        var waiting: [CheckedContinuation<PostgreSQLSession?, Never>] = []
        var isClosed = false
    }

    private let state: Mutex<State>
    /// More than this waiting: the server is slower than its clients, who have to hear of it.
    private static let waitingCountMax = 4_096

    init(_ sessions: [PostgreSQLSession]) { state = Mutex(State(free: sessions)) }

    /// Runs `body` with a session that nobody else uses meanwhile.
    func withSession<Result: Sendable>(
        _ body: (PostgreSQLSession) async throws(StorageError) -> Result
    ) async throws(StorageError) -> Result {
        let session = try await take()
        do throws(StorageError) {
            let result = try await body(session)
            giveBack(session)
            return result
        } catch {
            giveBack(session)
            throw error
        }
    }

    private func take() async throws(StorageError) -> PostgreSQLSession {
        enum Answer { case session(PostgreSQLSession), refused(StorageError) }
        let session = await withCheckedContinuation { continuation in
            let answer = state.withLock { state -> Answer? in
                if state.isClosed { return .refused(.unavailable("the service is stopping")) }
                // The last one used first: the others may rest.
                if let session = state.free.popLast() { return .session(session) }
                if state.waiting.count >= Self.waitingCountMax { return .refused(.overloaded) }
                state.waiting.append(continuation)
                return nil
            }
            switch answer {
            case .session(let session): continuation.resume(returning: session)
            case .refused: continuation.resume(returning: nil)
            case nil: break
            }
        }
        guard let session else { throw state.withLock { $0.isClosed } ? .unavailable("the service is stopping") : .overloaded }
        return session
    }

    private func giveBack(_ session: PostgreSQLSession) {
        let next = state.withLock { state -> CheckedContinuation<PostgreSQLSession?, Never>? in
            if !state.waiting.isEmpty { return state.waiting.removeFirst() }
            if !state.isClosed { state.free.append(session) }
            return nil
        }
        next?.resume(returning: session)
    }

    /// Lets nobody in any more; connections go with who has them.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            state.free.removeAll()
            defer { state.waiting.removeAll() }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: nil) }
    }
}
