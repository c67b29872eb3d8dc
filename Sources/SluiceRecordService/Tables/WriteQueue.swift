// Whoever wants to write waits in one list; a serial queue takes what waits and hands it on as a group, to be committed together. While that
// commit reaches the disk the next group gathers, so the groups grow with the load and a lone request waits for nobody.
//
// 1. A request that throws leaves nothing; its neighbours commit.
// 2. A commit that fails, fails them all. Nobody is told of success before the commit has returned.
// 3. Requests of a group run one after the other in the same transaction, so the second of two with one operation id reads what the
//    first wrote, and shares its fate.

import Dispatch
import Foundation
import Synchronization

/// One waiting request: what to do, and whom to tell.
struct WriteJob: Sendable {
    let scope: WriteScope
    /// Runs inside the request's savepoint, perhaps again where the transaction has to be repeated; what it returns is called after the commit.
    let run: @Sendable (WriteTransaction) throws -> @Sendable () -> Void
    /// How many statements it takes, roughly.
    let weight: Int
    let fail: @Sendable (StorageError) -> Void
}

/// Commits groups, on its queue.
protocol GroupWriter: AnyObject, Sendable {
    /// More than this in one commit would make the first of them wait too long.
    var groupCountMax: Int { get }
    /// Calls each job's confirmation or `fail`, once.
    func commit(_ group: [WriteJob])
    /// Called once, after the last group.
    func end()
}

/// The requests that wait for one writer.
final class WriteQueue: Sendable {
    private struct Waiting {
        var jobs: [WriteJob] = []
        var isScheduled = false
        var isClosed = false
    }

    private let writer: any GroupWriter
    private let queue: DispatchQueue
    private let waiting = Mutex(Waiting())

    /// More than this waiting: the service is slower than its clients, who have to hear of it.
    private static let waitingCountMax = 4_096
    /// A request heavier than this shares its commit with nobody: a savepoint around thousands of statements takes quadratic time, and a commit
    /// of its own is cheap beside them.
    private static let groupWeightMax = 512

    init(_ writer: any GroupWriter, label: String) {
        self.writer = writer
        queue = DispatchQueue(label: label)
    }

    /// Runs `body` in a savepoint of the next group and returns after the commit.
    func perform<Result: Sendable>(
        in scope: WriteScope, weight: Int = 1, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws(StorageError) -> Result {
        let outcome: Swift.Result<Result, StorageError> = await withCheckedContinuation { continuation in
            let job = WriteJob(
                scope: scope,
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

    /// Lets what waits be written, then ends the writer. Later calls are refused.
    func close() async {
        waiting.withLock { $0.isClosed = true }
        await withCheckedContinuation { continuation in
            queue.async {
                self.commitWaiting()
                self.writer.end()
                continuation.resume()
            }
        }
    }

    private func enqueue(_ job: WriteJob) -> StorageError? {
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
            let group = waiting.withLock { waiting -> [WriteJob] in
                var weight = 0
                let count = waiting.jobs.prefix(writer.groupCountMax).prefix { job in
                    weight += job.weight
                    return weight <= Self.groupWeightMax
                }.count
                let group = Array(waiting.jobs.prefix(max(count, 1)))
                waiting.jobs.removeFirst(group.count)
                if group.isEmpty { waiting.isScheduled = false }
                return group
            }
            if group.isEmpty { return }
            writer.commit(group)
        }
    }
}
