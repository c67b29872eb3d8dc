import Dispatch

/// Runs a model actor's work on a queue of its own, one job after the other.
///
/// Reading and writing a store blocks. The queue has threads of its own, so that neither the main thread nor Swift's shared pool ever waits
/// for a disk, wherever the actor was made.
public final class DefaultSerialModelExecutor: SerialModelExecutor, @unchecked Sendable {
    // Sendable: the context is set once and handed out only to work that runs on `queue`, which runs one job at a time.

    public let modelContext: ModelContext
    private let queue: DispatchQueue

    /// - Parameter modelContext: the context that the actor will own. Whoever made it must not use it any more.
    public init(modelContext: ModelContext) {
        self.modelContext = modelContext
        queue = DispatchQueue(label: "SluiceData.ModelActor")
    }

    /// Runs a job on the executor's own thread, after those that are waiting.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// The executor as an actor names it; the actor keeps it alive.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    /// Ends the program where the caller is not on this executor: what `assertIsolated` and `assumeIsolated` ask.
    public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
