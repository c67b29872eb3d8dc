// Who wants to know that a store's rows changed, and who tells them. Commits of this process are announced by the store itself; those of
// other processes by a watch, which runs only while somebody listens.

import Foundation
import Synchronization

/// A commit that somebody made.
struct StoreCommit: Sendable {
    /// The log's position right after it; nil where the store keeps no log, and for commits of other processes.
    let position: Int64?
    /// The context that wrote; nil for everybody else.
    let editor: UUID?
    /// Whether another process wrote.
    var isForeign = false
}

/// The listeners of one store.
final class StoreChanges: Sendable {
    private struct Listener {
        let noteWriting: (@Sendable (StoreCommit) -> Void)?
        let noteCommit: @Sendable (StoreCommit) -> Void
    }

    private struct State {
        var listeners: [UInt64: Listener] = [:]
        var lastNumber: UInt64 = 0
        /// Held while there are listeners.
        var watch: StoreWatch?
    }

    private let state = Mutex(State())

    /// Calls `body` after each commit, on the thread that noticed it, until the result is let go of. `body` must not wait.
    /// - Parameters:
    ///   - watch: makes the watch for commits of other processes, where there is none yet.
    ///   - noteWriting: called for each commit of this process while its writer still keeps others out.
    func listen(
        watchingBy watch: () -> StoreWatch?, noteWriting: (@Sendable (StoreCommit) -> Void)? = nil,
        _ body: @escaping @Sendable (StoreCommit) -> Void
    ) -> Listening {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.listeners[state.lastNumber] = Listener(noteWriting: noteWriting, noteCommit: body)
            if state.watch == nil { state.watch = watch() }
            return state.lastNumber
        }
        return Listening { [weak self] in self?.end(number) }
    }

    private func end(_ number: UInt64) {
        // Let go of outside the lock: the watch ends with its last reference.
        let watch = state.withLock { state -> StoreWatch? in
            state.listeners[number] = nil
            guard state.listeners.isEmpty else { return nil }
            return state.watch.take()
        }
        watch?.cancel()
    }

    /// Ends everything.
    func endAll() {
        let watch = state.withLock { state -> StoreWatch? in
            state.listeners = [:]
            return state.watch.take()
        }
        watch?.cancel()
    }

    /// A commit was made, and its writer still keeps others out.
    func announceWriting(_ commit: StoreCommit) {
        for listener in listeners { listener.noteWriting?(commit) }
    }

    func announce(_ commit: StoreCommit) {
        for listener in listeners { listener.noteCommit(commit) }
    }

    private var listeners: [Listener] { state.withLock { state in state.listeners.sorted { $0.key < $1.key }.map(\.value) } }

    var isWatching: Bool { state.withLock { $0.watch != nil } }
}

/// Something that goes on until this is let go of.
final class Listening: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
}
