// The one writer of a service's file. Whoever wants to write waits in one list; a serial queue takes what waits, gives each its savepoint
// inside one transaction, and makes one durable commit for them. While that commit reaches the disk the next group gathers, so the
// groups grow with the load and a lone request waits for nobody.
//
// 1. A request that throws leaves nothing; its neighbours commit.
// 2. A commit that fails, fails them all. Nobody is told of success before the commit has returned.
// 3. Requests of a group run one after the other in the same transaction, so the second of two with one operation id reads what the
//    first wrote, and shares its fate.

import Dispatch
import Foundation
import SluiceRecords
import SluiceFailpoints
import SluiceSQLite
import Synchronization

/// `@unchecked`: `connection` is touched on `queue` only; everything else is immutable or inside the mutex.
final class GroupCommitter: @unchecked Sendable {
    /// One waiting request: what to do, and whom to tell.
    private struct Job: Sendable {
        /// Runs inside the request's savepoint; what it returns is called after the commit.
        let run: @Sendable (WriteTransaction) throws -> @Sendable () -> Void
        /// How many statements it takes, roughly.
        let weight: Int
        let fail: @Sendable (StorageError) -> Void
    }

    private struct Waiting {
        var jobs: [Job] = []
        var isScheduled = false
        var isClosed = false
    }

    private let connection: Connection
    private let queue = DispatchQueue(label: "sluice.records.writer")
    private let waiting = Mutex(Waiting())
    private let environment: StorageEnvironment
    private let signal: CommitSignal

    /// More than this waiting: the service is slower than its clients, who have to hear of it.
    private static let waitingCountMax = 4_096
    /// More than this in one commit would make the first of them wait too long.
    private static let groupCountMax = 256
    /// A request heavier than this shares its commit with nobody: a savepoint around thousands of statements takes quadratic time, and a commit
    /// of its own is cheap beside them.
    private static let groupWeightMax = 512

    init(_ connection: consuming sending Connection, _ environment: StorageEnvironment, _ signal: CommitSignal) {
        self.connection = connection
        self.environment = environment
        self.signal = signal
    }

    /// Runs `body` in a savepoint of the next group and returns after the commit.
    func perform<Result: Sendable>(
        weight: Int = 1, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws(StorageError) -> Result {
        let outcome: Swift.Result<Result, StorageError> = await withCheckedContinuation { continuation in
            let job = Job(
                run: { transaction in
                    let result = try body(transaction)
                    return { continuation.resume(returning: .success(result)) }
                },
                weight: weight,
                fail: { continuation.resume(returning: .failure($0)) })
            if let refusal = enqueue(job) { job.fail(refusal) }
        }
        return try outcome.get()
    }

    /// Lets what waits be written, then empties the log. Later calls are refused.
    func close() async {
        waiting.withLock { $0.isClosed = true }
        await withCheckedContinuation { continuation in
            queue.async {
                self.commitWaiting()
                // A reader that is still open keeps the log; the next start moves it.
                _ = try? self.connection.checkpoint()
                continuation.resume()
            }
        }
    }

    private func enqueue(_ job: Job) -> StorageError? {
        let (refusal, mustSchedule) = waiting.withLock { waiting -> (StorageError?, Bool) in
            if waiting.isClosed { return (.unavailable("the service is stopping"), false) }
            if waiting.jobs.count >= Self.waitingCountMax { return (.overloaded, false) }
            waiting.jobs.append(job)
            defer { waiting.isScheduled = true }
            return (nil, !waiting.isScheduled)
        }
        if mustSchedule { queue.async { self.commitWaiting() } }
        return refusal
    }

    // MARK: On the queue

    private func commitWaiting() {
        while true {
            let group = waiting.withLock { waiting -> [Job] in
                var weight = 0
                let count = waiting.jobs.prefix(Self.groupCountMax).prefix { job in
                    weight += job.weight
                    return weight <= Self.groupWeightMax
                }.count
                let group = Array(waiting.jobs.prefix(max(count, 1)))
                waiting.jobs.removeFirst(group.count)
                if group.isEmpty { waiting.isScheduled = false }
                return group
            }
            if group.isEmpty { return }
            commit(group)
        }
    }

    private func commit(_ group: [Job]) {
        var confirmations: [@Sendable () -> Void] = []
        var refusals: [@Sendable () -> Void] = []
        var changed: [DatabaseID] = []
        do {
            try connection.transaction {
                let transaction = WriteTransaction(connection, now: environment.now(), nonce: environment.random())
                // Alone, a request needs no savepoint: the transaction is its own.
                if group.count == 1 { confirmations.append(try group[0].run(transaction)) }
                for job in group where group.count > 1 {
                    do {
                        confirmations.append(try transaction.savepoint { try job.run(transaction) })
                    } catch {
                        // A full disk ends the whole transaction; then there is nothing left to commit for anybody.
                        guard connection.isInTransaction else { throw error }
                        let error = StorageError(error)
                        refusals.append { job.fail(error) }
                    }
                }
                changed = try transaction.finish()
            }
        } catch {
            let error = StorageError(error)
            for job in group { job.fail(error) }
            return
        }
        Failpoint.pass(.replying)
        for confirm in confirmations { confirm() }
        for refuse in refusals { refuse() }
        signal.notify(changed)
    }
}

/// The clock and the randomness that storage is given.
package struct StorageEnvironment: Sendable {
    /// Milliseconds since 1970.
    package var now: @Sendable () -> Int64
    package var random: @Sendable () -> UInt64

    package init(now: @escaping @Sendable () -> Int64, random: @escaping @Sendable () -> UInt64) {
        self.now = now
        self.random = random
    }

    package static let system = StorageEnvironment(
        now: { Int64((Date().timeIntervalSince1970 * 1_000).rounded()) }, random: { UInt64.random(in: .min ... .max) })
}

extension StorageError {
    /// What an error of the engine or of the rules is for the caller.
    init(_ error: any Error) {
        switch error {
        case let error as StorageError: self = error
        case let error as SQLiteError where error.isRetryable || .full ~= error.code: self = .overloaded
        default: self = .unavailable("\(error)")
        }
    }
}
