import Synchronization

/// Who wants to know that a context has unsaved changes it did not have before.
final class EditListeners: Sendable {
    private struct State {
        var listeners: [UInt64: @Sendable () -> Void] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())
    /// Asked at every edit of a property, so that most edits cost no lock.
    private let count = Atomic<Int>(0)

    /// Calls `body` after each edit, on the context's own executor, until the result is let go of. `body` must not wait.
    func listen(_ body: @escaping @Sendable () -> Void) -> Listening {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.listeners[state.lastNumber] = body
            return state.lastNumber
        }
        count.wrappingAdd(1, ordering: .relaxed)
        return Listening { [weak self] in self?.end(number) }
    }

    private func end(_ number: UInt64) {
        state.withLock { $0.listeners[number] = nil }
        count.wrappingSubtract(1, ordering: .relaxed)
    }

    func announce() {
        guard count.load(ordering: .relaxed) > 0 else { return }
        for listener in state.withLock({ Array($0.listeners.values) }) { listener() }
    }
}
