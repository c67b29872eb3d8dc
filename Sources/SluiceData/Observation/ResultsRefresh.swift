// Between whoever changes rows, on any thread, and the observer, which lives on one isolation with its context. Changes arrive here as a
// mark; the observer is told once for a burst of them, on its own isolation, and reads then.
//
// An observer that was made outside every actor has no executor that could be hopped to. It fetches when it is next looked at, and who
// tracks its results is told at once, on the thread of the change.

import Foundation
import Observation
import Synchronization

/// What a refresh calls, on its own isolation.
protocol ResultsRefreshing: AnyObject {
    func refreshIfStale()
}

/// Marks results as stale and has them refreshed.
final class ResultsRefresh: Observable, @unchecked Sendable {
    // Sendable: `target` and `isolation` are set once, right after init and before anybody else knows this object; a weak reference may
    // be read on any thread, and `target` is on the observer's isolation alone. Everything else guards itself.

    private weak var target: (any ResultsRefreshing)?
    /// Weak, because the actor usually has the observer.
    private weak var isolation: (any Actor)?
    private let isIsolated: Bool
    private let stale = Atomic<Bool>(false)
    private let isDelivering = Atomic<Bool>(false)
    private let registrar = ObservationRegistrar()

    init(isolation: (any Actor)?) {
        self.isolation = isolation
        isIsolated = isolation != nil
    }

    func aim(at target: any ResultsRefreshing) { self.target = target }

    /// Tells Observation that somebody looks at what this guards.
    func access() { registrar.access(self, keyPath: \.changeCount) }

    /// Never read; it stands for the moment at which results become stale.
    private var changeCount: Int { 0 }

    /// Whether something changed since the last call.
    func takeStale() -> Bool { stale.exchange(false, ordering: .acquiringAndReleasing) }

    func markStale() { stale.store(true, ordering: .releasing) }

    /// Something changed. May be called on any thread, and often.
    func note() {
        guard !stale.exchange(true, ordering: .acquiringAndReleasing) else { return }
        guard isIsolated else { return registrar.withMutation(of: self, keyPath: \.changeCount) {} }
        guard let isolation, !isDelivering.exchange(true, ordering: .acquiringAndReleasing) else { return }
        Task { await deliver(on: isolation) }
    }

    private func deliver(on isolation: isolated any Actor) {
        isDelivering.store(false, ordering: .releasing)
        target?.refreshIfStale()
    }
}
