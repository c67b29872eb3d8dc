import Foundation
import SluiceFailpoints
import SluicePostgreSQL
import SluiceRecords
import Synchronization

/// One of the writers on a PostgreSQL server. Other processes write too, so a transaction first takes the heads of its databases: from then on
/// it is the only writer of them, and what it reads is what it will change.
///
/// `@unchecked`: what changes is touched on the queue of its `WriteQueue` only.
final class PostgreSQLCommitter: GroupWriter, @unchecked Sendable {
    private let server: PostgreSQLServer
    private let environment: StorageEnvironment
    /// Called with the databases that a commit changed.
    private let committed: @Sendable ([DatabaseID]) -> Void
    private var tables: PostgreSQLTables?
    /// Set while a COMMIT is on its way: what becomes of it is not known if the connection goes then.
    private var isCommitting = false

    /// Each may be a subtransaction, and beyond 64 of those other sessions take longer over every row that they look at.
    let groupCountMax = 60
    /// Attempts of a transaction that lost against others.
    private static let attemptsMax = 5

    init(_ server: PostgreSQLServer, _ environment: StorageEnvironment, committed: @escaping @Sendable ([DatabaseID]) -> Void) {
        self.server = server
        self.environment = environment
        self.committed = committed
    }

    private struct Outcome {
        var confirmations: [@Sendable () -> Void] = []
        var refusals: [@Sendable () -> Void] = []
        var changed: [DatabaseID] = []
    }

    func commit(_ group: [WriteJob]) {
        do {
            let outcome = try attempt(group)
            Failpoint.pass(.replying)
            for confirm in outcome.confirmations { confirm() }
            for refuse in outcome.refusals { refuse() }
            committed(outcome.changed)
        } catch {
            // A statement was refused, nobody knows whose, and nothing of anybody is there: each for itself, so that one only delays the others.
            if group.count > 1, !isCommitting, let error = error as? PostgreSQLError, !error.isLost { return group.forEach { commit([$0]) } }
            let error = Self.error(error, wasCommitting: isCommitting)
            for job in group { job.fail(error) }
        }
    }

    private static func error(_ error: any Error, wasCommitting: Bool) -> StorageError {
        if wasCommitting, let lost = error as? PostgreSQLError, lost.isLost {
            return .unavailable("\(lost); whether the last commit was made is not known")
        }
        return StorageError(error)
    }

    func end() { tables = nil }

    // MARK: Attempts

    private func attempt(_ group: [WriteJob]) throws -> Outcome {
        var attempts = 0
        while true {
            attempts += 1
            isCommitting = false
            do {
                let tables = try self.tables ?? server.connectToTables()
                self.tables = tables
                let outcome = try run(group, on: tables)
                isCommitting = false
                return outcome
            } catch let error as PostgreSQLError where error.isConflict && attempts < Self.attemptsMax {
                // A refusal is an answer, of the commit too: nothing of it is there.
                rollBack()
            } catch let error as PostgreSQLError where error.isLost && !isCommitting && attempts == 1 && tables != nil {
                // The server may have been restarted while this connection rested. Nothing has happened yet.
                tables = nil
            } catch {
                rollBack()
                throw error
            }
        }
    }

    /// Keeps the connection only where it is certain in what state it is.
    private func rollBack() {
        guard let connection = tables?.connection else { return }
        connection.truncateQueue(to: 0)
        if connection.isLost || (try? connection.run("ROLLBACK")) == nil { tables = nil }
    }

    private func run(_ group: [WriteJob], on tables: PostgreSQLTables) throws -> Outcome {
        let epoch = try begin(group, on: tables)
        let transaction = WriteTransaction(tables, epoch: epoch, now: environment.now(), nonce: environment.random())
        var outcome = Outcome()
        for job in group {
            tables.beginRequest()
            if group.count == 1 {
                outcome.confirmations.append(try job.run(transaction))
                continue
            }
            do {
                outcome.confirmations.append(try transaction.savepoint { try job.run(transaction) })
            } catch let error as PostgreSQLError where error != .textWithNUL {
                throw error
            } catch {
                let error = StorageError(error)
                outcome.refusals.append { job.fail(error) }
            }
        }
        tables.beginRequest()
        outcome.changed = try transaction.finish()
        try commit(tables.connection)
        return outcome
    }

    private func commit(_ connection: PostgreSQLConnection) throws {
        Failpoint.pass(.committing)
        try connection.enqueue("COMMIT")
        isCommitting = true
        do {
            let tag = try connection.flush().last?.commandTag
            guard tag == "COMMIT" else { throw StorageError.unavailable("the transaction had failed before its commit (\(tag ?? "no answer"))") }
        } catch let error as PostgreSQLError where !error.isLost && !error.isRefusal(of: "COMMIT") {
            // It did not come to the commit. A commit that is refused, on the other hand, fails everybody in it.
            isCommitting = false
            throw error
        }
        Failpoint.pass(.committed)
    }

    // MARK: Locks

    /// Begins, and takes what the group's scopes say, in one order for all processes. One way there and back, unless somebody holds a lock.
    /// - Returns: the timeline, as of now.
    private func begin(_ group: [WriteJob], on tables: PostgreSQLTables) throws -> Epoch {
        let connection = tables.connection
        connection.truncateQueue(to: 0)
        try connection.enqueue("BEGIN ISOLATION LEVEL READ COMMITTED")
        for scope in Set(group.map(\.scope)).sorted() {
            switch scope {
            case .database(let database):
                try connection.enqueue("SELECT database FROM head WHERE database = $1 FOR NO KEY UPDATE", [.integer(database.rawValue)])
            case .registry: try lock(.registry, connection)
            // Other processes write here too: nothing may ask for it.
            case .all: throw StorageError.unavailable("one writer cannot have everything on a server")
            }
        }
        return Epoch(rawValue: UInt64(bitPattern: try connection.run(PostgreSQLSession.readEpoch).integer(0, 0)))
    }

    private func lock(_ lock: AdvisoryLock, _ connection: PostgreSQLConnection) throws {
        try connection.enqueue("/* global: one process at a time */ SELECT pg_advisory_xact_lock($1)", [.integer(lock.key(server.target))])
    }
}

extension WriteScope: Comparable {
    package static func < (left: WriteScope, right: WriteScope) -> Bool { left.rank < right.rank }

    private var rank: Int64 {
        switch self {
        case .registry: -2
        case .all: -1
        case .database(let database): database.rawValue
        }
    }
}
