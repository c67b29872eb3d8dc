import Glibc

/// A socket that accepts connections. Whoever makes it hands it to one HTTPServer, which closes it.
package struct ListenSocket: Sendable {
    package let descriptor: Int32
    /// The bound TCP port; nil for a socket of another family.
    package let port: UInt16?

    /// Takes over a socket that somebody has bound and put into the listening state: a Unix socket, or one that the service manager passed.
    package init(listening descriptor: Int32) {
        self.descriptor = descriptor
        port = Self.port(of: descriptor)
    }

    /// Binds a TCP address. Port 0 takes a free one.
    package init(host: String, port: UInt16) throws(HTTPServerError) {
        let subject = "\(host):\(port)"
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &found)
        guard code == 0, let first = found else {
            throw HTTPServerError(code: .cannotBind, subject: subject, detail: "no such address (\(String(cString: gai_strerror(code))))")
        }
        defer { freeaddrinfo(first) }
        var failure: Int32 = 0
        for candidate in sequence(first: first, next: { $0.pointee.ai_next }) {
            switch Self.listen(on: candidate.pointee) {
            case .success(let descriptor):
                self.init(listening: descriptor)
                return
            case .failure(let error): failure = error.rawValue
            }
        }
        throw HTTPServerError(
            code: .cannotBind, subject: subject,
            detail: "\(String(cString: strerror(failure))); choose another address or port, or stop who holds it")
    }

    private struct SystemError: Error { let rawValue: Int32 }

    private static func listen(on address: addrinfo) -> Result<Int32, SystemError> {
        let descriptor = socket(address.ai_family, address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), address.ai_protocol)
        guard descriptor >= 0 else { return .failure(SystemError(rawValue: errno)) }
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, address.ai_addr, address.ai_addrlen) == 0, Glibc.listen(descriptor, SOMAXCONN) == 0 else {
            let error = SystemError(rawValue: errno)
            close(descriptor)
            return .failure(error)
        }
        return .success(descriptor)
    }

    private static func port(of descriptor: Int32) -> UInt16? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isNamed = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
        }
        // The port stands at the same place in both families' addresses.
        guard isNamed, Int32(address.ss_family) == AF_INET || Int32(address.ss_family) == AF_INET6 else { return nil }
        return withUnsafeBytes(of: &address) { UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self)) }
    }
}
