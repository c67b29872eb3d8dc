import Dispatch

/// Runs an actor's work on a serial queue of its own.
///
/// An actor that owns a `Connection` uses one, so that SQLite's blocking calls never occupy a thread of Swift's shared pool:
///
///     actor Ledger {
///         private let executor = SerialQueueExecutor(label: "ledger")
///         nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
///     }
package final class SerialQueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
