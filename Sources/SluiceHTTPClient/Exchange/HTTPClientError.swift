/// A request that got no complete answer.
///
/// It names the host and never the path, the query, a header or the body: those may hold secrets.
package struct HTTPClientError: Error, Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The request itself cannot be sent; nothing was tried.
        case invalidRequest
        case resolve
        case connect
        case proxy
        /// The TLS handshake failed for another reason than the peer's certificate: an old peer, or one that does not like ours.
        case tls
        /// The peer's certificate is not trusted, not valid now, or for another name.
        case certificate
        /// The peer's certificate is trusted, and its key is none of those that the configuration allows.
        case pinnedKey
        case timeout
        /// The connection ended before the answer did.
        case reset
        case tooLarge
        case cancelled
        case other
    }

    package let kind: Kind
    package let host: String?
    /// More about it, for people.
    package let detail: String
    /// False only if no byte of the request left this machine. Otherwise the peer may have acted on it.
    package let requestMayHaveArrived: Bool

    package init(_ kind: Kind, host: String?, detail: String, requestMayHaveArrived: Bool) {
        self.kind = kind
        self.host = host
        self.detail = detail
        self.requestMayHaveArrived = requestMayHaveArrived
    }

    /// Whether the same request may succeed later without anybody changing anything.
    package var isRetryable: Bool {
        switch kind {
        case .resolve, .connect, .proxy, .tls, .timeout, .reset: true
        case .invalidRequest, .certificate, .pinnedKey, .tooLarge, .cancelled, .other: false
        }
    }
}

extension HTTPClientError: CustomStringConvertible {
    package var description: String {
        var text = "\(host ?? "no host"): \(what)"
        if !detail.isEmpty { text += " (\(detail))" }
        if let advice { text += ". \(advice)" }
        return text
    }

    private var what: String {
        switch kind {
        case .invalidRequest: "the request cannot be sent"
        case .resolve: "the name has no address"
        case .connect: "no connection"
        case .proxy: "the proxy does not let it through"
        case .tls: "no TLS connection"
        case .certificate: "the certificate is not trusted"
        case .pinnedKey: "it shows another key than the configuration allows"
        case .timeout: "no answer in time"
        case .reset: "the connection ended before the answer was complete"
        case .tooLarge: "the answer is larger than allowed"
        case .cancelled: "cancelled"
        case .other: "the request failed"
        }
    }

    /// What a person can do about it.
    private var advice: String? {
        switch kind {
        case .resolve: "Check the host's name and the network; it is tried again."
        case .connect: "Check that the service runs and that its port is right; it is tried again."
        case .proxy: "Check the proxy in the configuration or the environment."
        case .tls: "Check that both sides speak TLS 1.2 or newer, and whether the service asks for a client certificate; it is tried again."
        case .pinnedKey: "If the service has a new key, name that in the configuration; if not, somebody stands between."
        case .certificate: "If the service has a certificate of its own authority, name that authority's file in the configuration."
        default: nil
        }
    }
}
