package import Foundation
import Synchronization

/// Sends HTTP requests and keeps connections open between them. HTTP/2 is used where the server offers it.
///
/// A program makes one for each remote side and keeps it; its connections close when the last reference goes.
/// Cancelling the task that waits in `send` aborts the transfer. `send` never occupies a thread of Swift's shared pool.
///
/// libcurl sends a request again by itself, once, when a connection that was kept open turns out to be dead before any byte of the answer
/// came. The first copy may have arrived: a request that must not have its effect twice carries an `Idempotency-Key`.
package final class HTTPClient: Sendable {
    package let configuration: HTTPClientConfiguration
    private let loop: TransferLoop
    private let nextIdentifier = Atomic<UInt64>(0)

    /// - Throws: `HTTPClientError` if libcurl cannot start or a file that the configuration names cannot be read.
    package init(_ configuration: HTTPClientConfiguration) throws(HTTPClientError) {
        let client = configuration.clientCertificate
        let files = [
            ("the authorities' file", configuration.extraAuthoritiesFile), ("the client certificate", client?.certificateFile),
            ("the client certificate's key", client?.keyFile),
        ]
        for case (let what, let file?) in files where !FileManager.default.isReadableFile(atPath: file) {
            throw HTTPClientError(.invalidRequest, host: nil, detail: "\(what) \(file) cannot be read", requestMayHaveArrived: false)
        }
        self.configuration = configuration
        loop = try TransferLoop(configuration)
        loop.start()
    }

    deinit { loop.close() }

    package func send(_ request: HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse {
        try request.check()
        let identifier = nextIdentifier.add(1, ordering: .relaxed).newValue
        let timeouts = request.timeouts ?? configuration.timeouts
        let start = ContinuousClock.now
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.add(
                    TransferOrder(identifier: identifier, request: request, timeouts: timeouts, start: start) {
                        continuation.resume(returning: $0)
                    })
                // The handler below may have run before there was anything to cancel.
                if Task.isCancelled { loop.cancel(identifier) }
            }
        } onCancel: {
            loop.cancel(identifier)
        }
        return try result.get()
    }

    /// The proxy that a request to `url` goes through, without credentials; nil for a direct connection.
    package func effectiveProxy(for url: URL) -> String? { configuration.proxy.reportedAddress(for: url) }
}
