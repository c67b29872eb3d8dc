package import Foundation

/// One request. Secrets belong into `headers`, which are never printed; a URL with a user or a password in it is refused.
package struct HTTPClientRequest: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
        case patch = "PATCH"
    }

    package var method: Method
    /// `https` or `http`. With a socket path, its host only fills the `Host` header.
    package var url: URL
    /// Connects to this Unix socket instead of the URL's host.
    package var socketPath: String?
    package var headers: [HTTPHeader]
    package var body: Data?
    /// Instead of the client's own, for a request that is known to wait long.
    package var timeouts: HTTPTimeouts?
    /// Whether the peer may hold the answer back for long, as in a long poll: such a request takes nobody's turn.
    package var mayBeHeld = false

    /// Whom it goes to.
    var peer: String { socketPath ?? "\(url.scheme ?? "")://\(url.host() ?? ""):\(url.port ?? 0)" }

    package init(
        _ method: Method, _ url: URL, socketPath: String? = nil, headers: [HTTPHeader] = [], body: Data? = nil,
        timeouts: HTTPTimeouts? = nil
    ) {
        self.method = method
        self.url = url
        self.socketPath = socketPath
        self.headers = headers
        self.body = body
        self.timeouts = timeouts
    }
}

package struct HTTPHeader: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// How long a request may take.
package struct HTTPTimeouts: Hashable, Sendable {
    /// Until the connection stands, TLS included.
    package var connect: Duration
    /// Without a byte in either direction; counted in whole seconds.
    package var idle: Duration
    /// From the call to the last byte of the answer.
    package var total: Duration

    package init(connect: Duration = .seconds(10), idle: Duration = .seconds(30), total: Duration = .seconds(120)) {
        self.connect = connect
        self.idle = idle
        self.total = total
    }
}

extension HTTPClientRequest {
    /// Refuses what would be sent differently from how it was meant: above all a line break in a header, which would begin another one.
    func check() throws(HTTPClientError) {
        guard let scheme = url.scheme?.lowercased(), scheme == "https" || scheme == "http", url.host() != nil else {
            throw invalid("the URL is neither https nor http, or names no host")
        }
        if url.user() != nil || url.password() != nil { throw invalid("the URL holds credentials; send them in a header") }
        if let socketPath, socketPath.utf8.count > 107 { throw invalid("a socket path holds at most 107 bytes; use a shorter one") }
        for header in headers {
            guard !header.name.isEmpty, header.name.utf8.allSatisfy(Self.isTokenByte) else {
                throw invalid("a header's name is empty or holds a character that no name may hold")
            }
            if header.name.lowercased() == "expect" { throw invalid("the Expect header is never sent") }
            guard header.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw invalid("header \(header.name) holds a line break or control character; check the token file it came from")
            }
        }
    }

    private func invalid(_ problem: String) -> HTTPClientError {
        HTTPClientError(.invalidRequest, host: url.host(), detail: problem, requestMayHaveArrived: false)
    }

    /// What RFC 9110 calls tchar.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
