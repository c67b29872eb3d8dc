// One client's connection and the request that is under way on it.
//
// libmicrohttpd serves a connection on one of its threads and calls us there; a handler runs as a task on Swift's pool meanwhile, with the
// connection suspended; the clock calls from a third thread. All three meet in one phase under one lock:
//
//     idle ──begin──▶ receiving ──start──▶ handling ──finish or expire──▶ answered ──takeAnswer──▶ sending ──end──▶ idle
//
// The library neither times suspended connections out nor notices that their client is gone, and its own timeout only counts idle time
// (one byte every half second outlives it); hence the deadlines here, which nothing extends.

import CMicroHTTPD
import Foundation
import Glibc
import Synchronization

/// Made when libmicrohttpd accepts a connection, released when it closes it.
final class ClientConnection: Sendable {
    typealias Clock = ContinuousClock

    /// A request that is being received, on the connection's own thread.
    struct Incoming {
        let target: String
        var method: String?
        var headers = HTTPHeaders()
        var body = Data()
        /// Takes the body in place of `body`.
        var sink: (any BodySink)?
        /// Undoes the coding that the headers name.
        var decoder: GzipDecoder?
        /// The body as it comes, where there is a decoder and no sink.
        var encodedBody: Data?
        /// Bytes of the body so far, unpacked.
        var byteCount = 0
        /// Bytes of it that came.
        var receivedCount = 0
        /// The answer that is certain already; what still comes is thrown away.
        var refusal: HTTPResponse?
        var discardedBytes = 0

        /// Whatever was received is of no use any more.
        mutating func refuse(_ response: HTTPResponse) {
            refusal = response
            (body, encodedBody, sink, decoder) = (Data(), nil, nil, nil)
        }
    }

    private enum Phase {
        case idle
        case receiving(Incoming)
        case handling(SuspendedConnection, Task<Void, Never>)
        case answered(HTTPResponse)
        case sending
        case closed
    }

    private struct State {
        var phase = Phase.idle
        /// When the current phase of the connection's life, a request or the pause before one, must have ended.
        var deadline: Clock.Instant
    }

    /// The library's handle of a suspended connection.
    ///
    /// `@unchecked`: MHD_resume_connection may be called from any thread; it is called once, under the lock, and only in phase `handling`,
    /// in which the library cannot close the connection.
    private struct SuspendedConnection: @unchecked Sendable {
        let handle: OpaquePointer
        /// Lets whoever drives the daemon know that it goes on.
        let resumed: (@Sendable () -> Void)?
    }

    private let descriptor: Int32
    /// What the connection shows of the server: as of its beginning, however often that changes meanwhile. Nil without TLS.
    let identity: ServerIdentity?
    private let state: Mutex<State>
    private let resumed: (@Sendable () -> Void)?

    /// - Parameter resumed: called, from any thread, where the library has to run again for this connection; nil where it notices by itself.
    init(descriptor: Int32, deadline: Clock.Instant, identity: ServerIdentity?, resumed: (@Sendable () -> Void)?) {
        self.descriptor = descriptor
        self.identity = identity
        self.resumed = resumed
        state = Mutex(State(deadline: deadline))
    }

    // MARK: On the connection's thread

    func begin(target: String, deadline: Clock.Instant) {
        state.withLock {
            $0.phase = .receiving(Incoming(target: target))
            $0.deadline = deadline
        }
    }

    /// Changes the request that is being received; nil in any other phase.
    func receive<Result: Sendable>(_ body: (inout Incoming) -> Result) -> Result? {
        state.withLock { state in
            guard case .receiving(var incoming) = state.phase else { return nil }
            state.phase = .idle  // so that `incoming` is the only reference to the body and grows in place
            let result = body(&incoming)
            state.phase = .receiving(incoming)
            return result
        }
    }

    /// Suspends the connection and runs `handler` for what was received.
    func start(_ handle: OpaquePointer, _ handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse) {
        let suspended = SuspendedConnection(handle: handle, resumed: resumed)
        state.withLock { state in
            guard case .receiving(let incoming) = state.phase else { return }
            let request = HTTPRequest(
                method: incoming.method ?? "", target: incoming.target, headers: incoming.headers, body: incoming.body,
                encodedBody: incoming.receivedCount > 0 ? incoming.encodedBody : nil, sink: incoming.sink)
            MHD_suspend_connection(suspended.handle)
            // The task's handle is held in the phase; the task ends by moving on from it.
            let task = Task { self.finish(await handler(request)) }
            state.phase = .handling(suspended, task)
        }
    }

    /// The answer, once; the phase moves on to sending it.
    func takeAnswer() -> HTTPResponse? {
        state.withLock { state in
            guard case .answered(let response) = state.phase else { return nil }
            state.phase = .sending
            return response
        }
    }

    func end(nextDeadline: Clock.Instant) {
        state.withLock {
            $0.phase = .idle
            $0.deadline = nextDeadline
        }
    }

    /// After this returns nobody touches the descriptor any more: the library is about to close it.
    func close() {
        state.withLock { $0.phase = .closed }
    }

    // MARK: On any thread

    private func finish(_ response: HTTPResponse) {
        state.withLock { Self.answer(&$0, response) }
    }

    /// Asks the handler to come to its end; long polls answer at once.
    func cancelHandler() {
        state.withLock { if case .handling(_, let task) = $0.phase { task.cancel() } }
    }

    /// Answers in the handler's place.
    func expire(_ response: HTTPResponse) {
        state.withLock { state in
            guard case .handling(_, let task) = state.phase else { return }
            task.cancel()
            Self.answer(&state, response)
        }
    }

    /// Enforces the deadline: a request being handled is answered with `response`, anything else loses its connection.
    /// - Parameter grace: how much longer an answer may take to be sent.
    func enforceDeadline(at now: Clock.Instant, _ response: HTTPResponse, grace: Duration) {
        state.withLock { state in
            switch state.phase {
            case .handling(_, let task) where now >= state.deadline:
                task.cancel()
                Self.answer(&state, response)
            case .idle where now >= state.deadline, .receiving where now >= state.deadline,
                .answered where now >= state.deadline + grace, .sending where now >= state.deadline + grace:
                // The library sees the end of the stream and cleans up. The descriptor is still open: `close` waits for this lock.
                shutdown(descriptor, Int32(SHUT_RDWR))
            default: break
            }
        }
    }

    var hasRequest: Bool {
        state.withLock {
            switch $0.phase {
            case .receiving, .handling, .answered, .sending: true
            case .idle, .closed: false
            }
        }
    }

    private static func answer(_ state: inout State, _ response: HTTPResponse) {
        guard case .handling(let suspended, _) = state.phase else { return }
        state.phase = .answered(response)
        MHD_resume_connection(suspended.handle)
        suspended.resumed?()
    }
}
