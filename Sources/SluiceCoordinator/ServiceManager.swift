import Foundation
import Glibc

/// Tells the service manager what is going on, where there is one: datagrams to `$NOTIFY_SOCKET` (sd_notify(3)).
package struct ServiceManager: Sendable {
    private let address: String?

    package init(environment: [String: String]) { address = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 } }

    package func ready() { send("READY=1") }
    package func stopping() { send("STOPPING=1") }
    package func status(_ text: String) { send("STATUS=\(text)") }

    /// Asks for more patience while something long makes progress.
    package func extendTimeout(by time: Duration) { send("EXTEND_TIMEOUT_USEC=\(Int64(time / .microseconds(1)))") }

    private func send(_ text: String) {
        guard let address else { return }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        let length = withUnsafeMutableBytes(of: &name.sun_path) { buffer -> Int in
            let bytes = Array(address.utf8.prefix(buffer.count - 1))
            for (index, byte) in bytes.enumerated() { buffer[index] = byte }
            // An abstract socket is written with an @ and begins with a zero byte.
            if bytes.first == UInt8(ascii: "@") { buffer[0] = 0 }
            return bytes.count
        }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + length)
        _ = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL), $0, size)
            }
        }
    }
}
