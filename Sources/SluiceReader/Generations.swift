import Dispatch
import Synchronization

/// What a container holds, again and again: first what is there now, then every new generation and every other change of status.
///
///     for await status in container.generations(staleAfter: .seconds(3_600)) {
///         guard let summary = status.summary else { print(status.word); continue }
///         let open = try await container.withSnapshot { try $0.count(of: "Item") }
///         print(summary.generation, open)
///     }
///
/// It never ends by itself: a container that does not exist yet, or goes and comes again, is a status. Who is slow gets the newest, not all.
/// Cancelling the task, or letting go of the iterator, ends it and frees its descriptors and its thread.
public struct Generations: AsyncSequence, Sendable {
    public typealias Element = ContainerStatus
    public typealias Failure = Never

    private let container: GroupContainer
    private let staleAfter: Duration?
    private let pollInterval: Duration

    init(_ container: GroupContainer, staleAfter: Duration?, pollInterval: Duration) {
        self.container = container
        self.staleAfter = staleAfter
        self.pollInterval = pollInterval
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(feed: GenerationFeed(GenerationWatch(container, staleAfter: staleAfter, pollInterval: pollInterval)))
    }

    /// Begins to watch when it is made.
    public struct Iterator: AsyncIteratorProtocol {
        let feed: GenerationFeed

        /// The next status; nil once the task is cancelled.
        public mutating func next() async -> ContainerStatus? { await feed.next() }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> ContainerStatus? { await feed.next() }
    }
}

extension GroupContainer {
    /// The container's generations, as they come.
    /// - Parameters:
    ///   - staleAfter: how long ago the last sync may be before the status is `stale`; nil asks for no freshness.
    ///   - pollInterval: between two looks where the kernel cannot watch the directory, or there is nothing to read.
    public func generations(staleAfter: Duration? = nil, pollInterval: Duration = .seconds(1)) -> Generations {
        Generations(self, staleAfter: staleAfter, pollInterval: pollInterval)
    }
}

/// Passes on what the watch finds. The watch waits on a thread of its own, never on one of Swift's shared pool.
final class GenerationFeed: Sendable {
    private let watch: GenerationWatch
    private let post = Post()

    init(_ watch: GenerationWatch) {
        self.watch = watch
        // A serial queue without a target has a thread to itself while its block runs.
        DispatchQueue(label: "SluiceReader.Generations").async { [post] in
            while let status = watch.next() { post.deliver(status) }
            post.end()
        }
    }

    deinit { watch.cancel() }

    func next() async -> ContainerStatus? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { post.ask($0) }
        } onCancel: {
            watch.cancel()
            post.end()
        }
    }
}

/// The newest status that nobody has taken, or who waits for one.
private final class Post: Sendable {
    private struct State {
        var newest: ContainerStatus?
        var waiting: [CheckedContinuation<ContainerStatus?, Never>] = []
        var isEnded = false
    }

    private let state = Mutex(State())

    func deliver(_ status: ContainerStatus) {
        let waiting = state.withLock { state -> CheckedContinuation<ContainerStatus?, Never>? in
            guard !state.isEnded else { return nil }
            guard !state.waiting.isEmpty else {
                state.newest = status
                return nil
            }
            return state.waiting.removeFirst()
        }
        waiting?.resume(returning: status)
    }

    func ask(_ continuation: CheckedContinuation<ContainerStatus?, Never>) {
        let answer = state.withLock { state -> ContainerStatus?? in
            if state.isEnded { return .some(nil) }
            if let newest = state.newest {
                state.newest = nil
                return newest
            }
            state.waiting.append(continuation)
            return nil
        }
        if let answer { continuation.resume(returning: answer) }
    }

    func end() {
        let waiting = state.withLock { state in
            state.isEnded = true
            state.newest = nil
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: nil) }
    }
}
