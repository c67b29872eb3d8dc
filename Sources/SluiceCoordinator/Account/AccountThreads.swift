// Where accounts work. Each is an actor whose jobs run one after the other, and SQLite blocks the thread that runs them; so they have threads of
// their own, never Swift's shared pool. But few of them: with a thread for each account a thousand accounts would be a thousand threads
// whenever all of them look around.

import Dispatch
import Foundation
import Synchronization

/// A few threads that the accounts of a process share; each account has its turn after the others. Safe on any thread.
final class AccountThreads: Sendable {
    /// Those of this process.
    static let shared = AccountThreads(maximum: 32)

    private struct Contents {
        var waiting: [AccountExecutor] = []
        var threadCount = 0
        var idleCount = 0
    }

    /// So many accounts may be held up by their disks, or be migrating, before others are.
    private let maximum: Int
    private let contents = Mutex(Contents())
    /// One signal for each executor that waits.
    private let work = DispatchSemaphore(value: 0)

    init(maximum: Int) { self.maximum = maximum }

    /// How many threads there are now; they stay.
    var threadCount: Int { contents.withLock { $0.threadCount } }

    fileprivate func schedule(_ executor: AccountExecutor) {
        let mustGrow = contents.withLock { contents in
            contents.waiting.append(executor)
            guard contents.waiting.count > contents.idleCount, contents.threadCount < maximum else { return false }
            contents.threadCount += 1
            return true
        }
        work.signal()
        guard mustGrow else { return }
        let thread = Thread { self.run() }
        thread.name = "accounts"
        thread.start()
    }

    private func run() {
        while true {
            contents.withLock { $0.idleCount += 1 }
            work.wait()
            let executor = contents.withLock { contents in
                contents.idleCount -= 1
                return contents.waiting.removeFirst()
            }
            if executor.runOne() { schedule(executor) }
        }
    }
}

/// The executor of one account: one job at a time, on whichever of the threads is free.
final class AccountExecutor: SerialExecutor {
    private struct Contents {
        var jobs: [UnownedJob] = []
        /// Whether it waits for a thread or has one.
        var isScheduled = false
    }

    private let threads: AccountThreads
    private let contents = Mutex(Contents())

    init(on threads: AccountThreads = .shared) { self.threads = threads }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFirst = contents.withLock { contents in
            contents.jobs.append(job)
            defer { contents.isScheduled = true }
            return !contents.isScheduled
        }
        if isFirst { threads.schedule(self) }
    }

    /// Runs one job. Returns whether another one waits.
    fileprivate func runOne() -> Bool {
        let job = contents.withLock { $0.jobs.removeFirst() }
        job.runSynchronously(on: asUnownedSerialExecutor())
        return contents.withLock { contents in
            contents.isScheduled = !contents.jobs.isEmpty
            return contents.isScheduled
        }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
