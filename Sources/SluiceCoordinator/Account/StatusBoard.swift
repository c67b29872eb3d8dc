import Foundation
import Synchronization

/// The last status that an account published: read, and waited for, by anybody without waiting for the store. Safe on any thread.
final class StatusBoard: Sendable {
    private struct Contents {
        var status: AccountStatus
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter: UInt64 = 0

        mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
            defer { waiters = [:] }
            return Array(waiters.values)
        }
    }

    /// Guards the status and who waits for another.
    private let contents: Mutex<Contents>

    /// Revisions begin with the time: a coordinator that was started anew repeats none that somebody remembers.
    init(_ status: AccountStatus) {
        var status = status
        status.revision = Int64(Date().timeIntervalSince1970 * 1_000)
        contents = Mutex(Contents(status: status))
    }

    var status: AccountStatus { contents.withLock { $0.status } }
    var revision: Int64 { contents.withLock { $0.status.revision ?? 0 } }
    var waiterCount: Int { contents.withLock { $0.waiters.count } }

    /// Changes the status; who waits is woken where anything became different.
    func update(_ change: (inout AccountStatus) -> Void) {
        let woken = contents.withLock { contents -> [CheckedContinuation<Void, Never>] in
            var status = contents.status
            change(&status)
            status.revision = contents.status.revision
            guard status != contents.status else { return [] }
            status.revision = (status.revision ?? 0) + 1
            contents.status = status
            return contents.takeWaiters()
        }
        for waiter in woken { waiter.resume() }
    }

    /// Wakes everybody without news.
    func release() {
        let woken = contents.withLock { $0.takeWaiters() }
        for waiter in woken { waiter.resume() }
    }

    /// Returns when the revision is another one, at `release`, or when the task is cancelled.
    func wait(whileRevisionIs revision: Int64) async {
        let number = contents.withLock { contents in
            contents.lastWaiter += 1
            return contents.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = contents.withLock { contents in
                    guard contents.status.revision == revision, !Task.isCancelled else { return true }
                    contents.waiters[number] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            contents.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }
}
