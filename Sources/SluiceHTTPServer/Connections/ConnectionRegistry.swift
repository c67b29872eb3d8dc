import Dispatch
import Foundation
import Synchronization

/// All open connections of one server, and the clock that enforces their deadlines.
///
/// Bounded by the server's connection limit.
final class ConnectionRegistry: Sendable {
    private struct State {
        var connections: [ObjectIdentifier: ClientConnection] = [:]
        var isDraining = false
        /// Whether the clock goes: only while there is something to watch.
        var isTicking = false
        /// Resumed when no connection has a request any more, or when the time for that is over.
        var drained: CheckedContinuation<Void, Never>?
        var drainDeadline: ContinuousClock.Instant?
    }

    private let configuration: ServerConfiguration
    private let state = Mutex(State())
    /// Unchecked: set up in `init`, then only cancelled in `deinit`; dispatch sources are safe to use from any thread.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer
    /// An answer that is ready gets as much longer to be sent.
    private static let sendingGrace: Duration = .seconds(5)
    /// The answers given in the handlers' place at the end of a drain get as long to be sent.
    private static let lastAnswersGrace: Duration = .milliseconds(500)

    /// One for all servers of a process: there may be a thousand.
    private static let queue = DispatchQueue(label: "sluice.http.deadlines")

    init(_ configuration: ServerConfiguration) {
        self.configuration = configuration
        timer = DispatchSource.makeTimerSource(queue: Self.queue)
        timer.setEventHandler { [weak self] in self?.sweep(at: .now) }
        timer.schedule(deadline: .distantFuture)
        timer.activate()
    }

    /// Under the lock of `state`.
    private func tick(_ state: inout State) {
        let isNeeded = !state.connections.isEmpty || state.drained != nil
        guard isNeeded != state.isTicking else { return }
        state.isTicking = isNeeded
        if isNeeded {
            timer.schedule(deadline: .now() + .milliseconds(100), repeating: .milliseconds(100), leeway: .milliseconds(50))
        } else {
            timer.schedule(deadline: .distantFuture)
        }
    }

    deinit { timer.cancel() }

    var nextDeadline: ContinuousClock.Instant { .now + configuration.requestTime }
    var isDraining: Bool { state.withLock { $0.isDraining } }
    var count: Int { state.withLock { $0.connections.count } }

    func add(_ connection: ClientConnection) {
        state.withLock { state in
            state.connections[ObjectIdentifier(connection)] = connection
            tick(&state)
        }
    }

    func remove(_ connection: ClientConnection) {
        state.withLock { $0.connections[ObjectIdentifier(connection)] = nil }
    }

    /// Waits until every request is answered and sent; at `deadline` those still being handled are answered in their handlers' place.
    func drain(until deadline: ContinuousClock.Instant) async {
        let open = state.withLock {
            $0.isDraining = true
            return Array($0.connections.values)
        }
        for connection in open { connection.cancelHandler() }
        await waitUntilQuiet(deadline)
        for connection in state.withLock({ Array($0.connections.values) }) { connection.expire(configuration.notInTime) }
        await waitUntilQuiet(deadline + Self.lastAnswersGrace)
    }

    private func waitUntilQuiet(_ deadline: ContinuousClock.Instant) async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.drained = continuation
                state.drainDeadline = deadline
                tick(&state)
            }
        }
    }

    private func sweep(at now: ContinuousClock.Instant) {
        let open = state.withLock { Array($0.connections.values) }
        for connection in open {
            connection.enforceDeadline(at: now, configuration.notInTime, grace: Self.sendingGrace)
        }
        let isBusy = open.contains(where: \.hasRequest)
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            defer { tick(&state) }
            guard let deadline = state.drainDeadline, !isBusy || now >= deadline else { return nil }
            defer { state.drained = nil }
            return state.drained
        }
        waiting?.resume()
    }
}
