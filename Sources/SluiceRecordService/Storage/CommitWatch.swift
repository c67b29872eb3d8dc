import Synchronization

/// Tells long polls that a database has changed.
///
/// A watcher registers, then reads, then waits: a commit between its reading and its waiting is kept, so none is missed. Bounded by the
/// server's connections, since each long poll holds one.
package final class CommitSignal: Sendable {
    private struct State {
        var next = 0
        var watches: [DatabaseID: [Int: AsyncStream<Void>.Continuation]] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    package func watch(_ database: DatabaseID) -> CommitWatch {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let key = state.withLock { state in
            state.next += 1
            state.watches[database, default: [:]][state.next] = continuation
            return state.next
        }
        return CommitWatch(stream: stream) { [weak self] in
            self?.state.withLock { state in
                state.watches[database]?[key] = nil
                if state.watches[database]?.isEmpty == true { state.watches[database] = nil }
            }
        }
    }

    /// Who is watched now.
    package var watched: [DatabaseID] { state.withLock { Array($0.watches.keys) } }
    package func isWatched(_ database: DatabaseID) -> Bool { state.withLock { $0.watches[database] != nil } }

    /// Called after a commit that changed these databases.
    package func notify(_ databases: some Sequence<DatabaseID>) {
        let continuations = state.withLock { state in databases.flatMap { state.watches[$0].map { Array($0.values) } ?? [] } }
        for continuation in continuations { continuation.yield() }
    }
}

/// One registration; it ends with this value.
package final class CommitWatch: Sendable {
    private let stream: AsyncStream<Void>
    private let unregister: @Sendable () -> Void

    fileprivate init(stream: AsyncStream<Void>, unregister: @escaping @Sendable () -> Void) {
        self.stream = stream
        self.unregister = unregister
    }

    deinit { unregister() }

    /// Returns when the database has changed since the registration, the time is over, or the task is cancelled.
    package func wait(_ limit: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in self.stream { return } }
            group.addTask { try? await Task.sleep(for: limit) }  // A cancelled sleep ends the wait, which is what is meant.
            await group.next()
            group.cancelAll()
        }
    }
}
