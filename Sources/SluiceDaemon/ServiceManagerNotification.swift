import Glibc

/// Tells the service manager how far a daemon is, by the protocol of sd_notify(3): one datagram to the socket that `NOTIFY_SOCKET` names.
///
/// Without a manager it does nothing. Who starts the daemon reads the variable and hands it in.
package struct ServiceManagerNotification: Sendable {
    private let socketPath: String?

    /// - Parameter socketPath: the value of `NOTIFY_SOCKET`; a leading `@` names an abstract socket.
    package init(socketPath: String?) {
        self.socketPath = socketPath?.isEmpty == false ? socketPath : nil
    }

    package func ready() { send("READY=1") }
    package func stopping() { send("STOPPING=1") }
    package func reloading(atMicroseconds now: UInt64) { send("RELOADING=1\nMONOTONIC_USEC=\(now)") }
    /// One line that `systemctl status` shows.
    package func status(_ text: String) { send("STATUS=" + text.split(separator: "\n").joined(separator: " "), mayBeLost: true) }
    /// Asks for as much more time to start or stop.
    package func extendTimeout(by limit: Duration) { send("EXTEND_TIMEOUT_USEC=\(Int64(limit / .microseconds(1)))", mayBeLost: true) }

    /// - Parameter mayBeLost: said again and again while work is under way, which must not wait for a manager that is behind with its reading.
    private func send(_ message: String, mayBeLost: Bool = false) {
        guard let socketPath else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array(socketPath.utf8)
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        withUnsafeMutableBytes(of: &address.sun_path) { buffer in
            buffer.copyBytes(from: path)
            if path.first == UInt8(ascii: "@") { buffer[0] = 0 }
        }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
        let flags = Int32(MSG_NOSIGNAL) | (mayBeLost ? Int32(MSG_DONTWAIT) : 0)
        // A manager that does not listen is no reason for a daemon to fail.
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                Array(message.utf8).withUnsafeBytes { sendto(descriptor, $0.baseAddress, $0.count, flags, address, length) }
            }
        }
    }
}
