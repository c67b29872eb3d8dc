import Foundation

/// A certificate chain and its private key, as PEM text.
package struct TLSIdentity: Sendable {
    package let certificate: String
    package let privateKey: String

    package init(certificate: String, privateKey: String) {
        self.certificate = certificate
        self.privateKey = privateKey
    }
}

/// What a server accepts and how long it waits. Every bound of the module stands here.
package struct ServerConfiguration: Sendable {
    /// Nil: plain HTTP.
    package var tls: TLSIdentity?
    /// Threads that move bytes; handlers run on Swift's pool.
    package var threads = 2
    /// What moves the bytes in place of threads of its own; for one of many servers that are asked seldom.
    package var loop: DaemonLoop?
    /// Connections at once; more are refused when they come.
    package var connections = 1_024
    /// Bytes of one request body.
    package var bodyBytes = 8 << 20
    /// Asked when the headers are there, with a request that has no body yet; on one of the threads that move bytes, so it must not wait. What it
    /// gives takes the body in memory's place and stands in the request's `sink`.
    package var bodySink: (@Sendable (HTTPRequest) -> (any BodySink)?)?
    /// The answer to a body that is longer, or unpacks to more.
    package var bodyTooLarge = HTTPResponse.text(413, "the request body is too large")
    /// The answer to a body that is said to be gzip and is not.
    package var bodyMalformed = HTTPResponse.text(400, "the request body is no gzip")
    /// The answer to a body in another coding.
    package var codingUnknown = HTTPResponse.text(415, "the request body has a coding that is not known here")
    /// Whether answers go out in gzip where their reader takes that: worth it over a network, not over a Unix socket.
    package var compressesAnswers = false
    /// Bytes of memory of one connection; its headers must fit in it.
    package var connectionBytes = 64 << 10
    /// A request may take as long in all: receiving, handling and sending. A connection without a request is closed after it too.
    package var requestTime: Duration = .seconds(60)
    /// The answer to a request that was not handled in time, or not before the server stopped.
    package var notInTime = HTTPResponse.text(503, "the request took too long")

    package init() {}
}
