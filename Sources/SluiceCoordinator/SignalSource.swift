import Dispatch
import Glibc

/// SIGTERM, SIGINT and SIGHUP as a stream. A second SIGTERM during shutdown changes nothing.
///
/// `@unchecked`: the sources are made and started in `init` and only kept alive afterwards.
package final class SignalSource: @unchecked Sendable {
    package let signals: AsyncStream<Coordinator.Signal>
    private let sources: [any DispatchSourceSignal]

    package init() {
        let (stream, continuation) = AsyncStream<Coordinator.Signal>.makeStream()
        signals = stream
        sources = [(SIGTERM, Coordinator.Signal.stop), (SIGINT, .stop), (SIGHUP, .reload)].map { number, meaning in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield(meaning) }
            source.resume()
            return source
        }
    }
}
