import SluiceHTTPServer
import Synchronization

/// Lets handlers, which are made before their server, ask it how many connections are open.
final class ConnectionCount: Sendable {
    private struct Observed { weak var server: HTTPServer? }
    private let observed = Mutex(Observed())

    func observe(_ server: HTTPServer) { observed.withLock { $0.server = server } }
    func current() -> Int { observed.withLock { $0.server }?.connectionCount ?? 0 }
}
