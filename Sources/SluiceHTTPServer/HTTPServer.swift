// An HTTP/1.1 server over libmicrohttpd: epoll, a few threads that only move bytes, handlers as tasks on Swift's pool.
//
// This file starts and stops it; DaemonCallbacks.swift is what the library calls; ClientConnection.swift holds the life of a request.
// A body may go to a sink, and come from a file, in place of memory (StreamedBodies.swift). gzip is undone in DaemonCallbacks' receive step and applied
// to what a handler gave (Coding/); handlers see neither.

import CMicroHTTPD
import CShimsMicroHTTPD
import Dispatch
import Foundation
import Glibc
import Synchronization

/// A running server. Made by `start`, ended by `stop`.
///
///     let server = try HTTPServer.start(on: try ListenSocket(host: "127.0.0.1", port: 0)) { request in
///         .text(200, "hello")
///     }
///     await server.stop(within: .seconds(4))
package final class HTTPServer: Sendable {
    package typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse

    /// What libmicrohttpd's callbacks reach: one per server, kept alive by the server until the daemon has stopped.
    final class Context: Sendable {
        let configuration: ServerConfiguration
        let registry: ConnectionRegistry
        private let handler: Handler
        /// What new connections show; nil without TLS.
        private let identity: Mutex<ServerIdentity>?
        var currentIdentity: ServerIdentity? { identity?.withLock { $0 } }

        init(_ configuration: ServerConfiguration, _ handler: @escaping Handler) throws(HTTPServerError) {
            self.configuration = configuration
            self.registry = ConnectionRegistry(configuration)
            self.handler = handler
            identity = if let tls = configuration.tls { Mutex(try ServerIdentity(tls)) } else { nil }
        }

        func replaceIdentity(_ new: ServerIdentity) { identity?.withLock { $0 = new } }

        /// What a handler makes of a request, as it goes out.
        func answer(_ request: HTTPRequest) async -> HTTPResponse {
            let response = await handler(request)
            return configuration.compressesAnswers ? response.compressed(for: request) : response
        }
    }

    /// The library's daemon.
    ///
    /// `@unchecked`: libmicrohttpd allows its functions on a daemon from any thread; `stop` takes the handle out of `daemon`, so that it is
    /// stopped once.
    private struct Daemon: @unchecked Sendable { let handle: OpaquePointer }

    private let daemon: Mutex<Daemon?>
    private let context: Context
    private let socket: ListenSocket

    private init(_ daemon: Daemon, _ context: Context, _ socket: ListenSocket) {
        self.daemon = Mutex(daemon)
        self.context = context
        self.socket = socket
    }

    /// The bound TCP port; nil on a Unix socket.
    package var port: UInt16? { socket.port }
    /// Connections that are open now.
    package var connectionCount: Int { context.registry.count }

    /// Starts to serve `socket`, which belongs to the server from now on.
    /// - Parameter handler: called once per request, on Swift's pool. When its task is cancelled the server is stopping or the request's time is
    ///   over: it should answer as soon as it can.
    package static func start(
        on socket: ListenSocket, _ configuration: ServerConfiguration = ServerConfiguration(), handler: @escaping Handler
    ) throws(HTTPServerError) -> HTTPServer {
        // A client that hangs up must be an error of one write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        let context: Context
        do { context = try Context(configuration, handler) } catch {
            Glibc.close(socket.descriptor)
            throw error
        }
        guard let handle = DaemonCallbacks.startDaemon(on: socket, context) else {
            Glibc.close(socket.descriptor)
            throw HTTPServerError(
                code: .cannotStart, subject: configuration.tls == nil ? "HTTP server" : "HTTPS server",
                detail: "libmicrohttpd refused to start; check the limit of open files")
        }
        if let loop = configuration.loop, !loop.add(handle) {
            MHD_stop_daemon(handle)
            throw HTTPServerError(code: .cannotStart, subject: "HTTP server", detail: "no more descriptors: raise the limit of open files")
        }
        return HTTPServer(Daemon(handle: handle), context, socket)
    }

    /// Shows another certificate to connections from now on; those that are open, and their requests, go on.
    /// - Throws: `HTTPServerError` for a certificate or key that cannot be used; the one before stays then.
    package func replaceIdentity(_ identity: TLSIdentity) throws(HTTPServerError) {
        context.replaceIdentity(try ServerIdentity(identity))
    }

    /// Accepts no more connections, tells the handlers to end, waits for them no longer than `limit` (and half a second
    /// for the last answers to leave), then closes everything.
    /// Called again, it does nothing.
    package func stop(within limit: Duration) async {
        guard let daemon = daemon.withLock({ $0.take() }) else { return }
        await context.registry.drain(until: .now + limit)
        context.configuration.loop?.remove(daemon.handle)
        // Stopping joins the library's threads, which must not happen on Swift's pool. It closes the listening socket.
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                MHD_stop_daemon(daemon.handle)
                continuation.resume()
            }
        }
    }

    deinit {
        // A server that is dropped without `stop` would leave the library calling into freed memory.
        precondition(daemon.withLock { $0 == nil }, "HTTPServer must be stopped before it is released")
    }
}
