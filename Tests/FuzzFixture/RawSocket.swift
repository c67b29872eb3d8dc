import Foundation
import Glibc

/// One connection that sends bytes as they are and reads at most one status line: on a thread of its own, since who answers may be in this
/// process and needs the others.
package final class RawSocket {
    /// Where somebody listens.
    package enum Place: Sendable {
        /// On this machine.
        case port(UInt16)
        /// A Unix socket; reached through its folder, since the address has room for 107 bytes.
        case path(String)
    }

    private let descriptor: Int32

    private init(_ place: Place) throws { descriptor = try Self.connection(to: place) }

    deinit { close(descriptor) }

    /// A descriptor that is connected; the caller closes it.
    /// - Throws: where nobody listens.
    package static func connection(to place: Place) throws -> Int32 {
        switch place {
        case .port(let port):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            return try connection(AF_INET, to: &address)
        case .path(let path):
            let url = URL(filePath: path)
            let folder = open(url.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY)
            defer { close(folder) }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: "/proc/self/fd/\(folder)/\(url.lastPathComponent)".utf8.prefix($0.count - 1)) }
            return try connection(AF_UNIX, to: &address)
        }
    }

    private static func connection<Address>(_ family: Int32, to address: inout Address) throws -> Int32 {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) }
        }
        guard code == 0 else {
            close(descriptor)
            throw POSIXError(.ECONNREFUSED)
        }
        return descriptor
    }

    private func status(of request: [UInt8], patience: Int32) -> Int? {
        _ = request.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        // Whoever waits for more learns then that there is none; before, the library would take it for a client that is gone.
        if !isReadable(within: patience) { shutdown(descriptor, Int32(SHUT_WR)) }
        guard isReadable(within: 1_000) else { return nil }
        var head = [UInt8](repeating: 0, count: 64)
        let count = recv(descriptor, &head, head.count, 0)
        guard count > 12 else { return nil }
        return Int(String(decoding: head[9..<12], as: UTF8.self))
    }

    private func isReadable(within milliseconds: Int32) -> Bool {
        var place = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&place, 1, milliseconds) > 0
    }

    /// Sends bytes over a new connection.
    /// - Parameter patience: milliseconds to wait for an answer before nothing more is sent; and after that a second.
    /// - Returns: the status of the answer; nil where the connection is closed without one, or nothing comes.
    /// - Throws: where nobody listens.
    package static func status(of request: [UInt8], at place: Place, patience: Int32 = 50) async throws -> Int? {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try RawSocket(place).status(of: request, patience: patience) }) }
        }
    }
}
