import Foundation

/// The service manager's end of `NOTIFY_SOCKET`.
final class ManagerDouble {
    private let descriptor: Int32
    private let path: String
    private var received: [String] = []

    init(_ path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        guard bound == 0 else { throw Installation.Failure(text: "\(path): \(String(cString: strerror(errno)))") }
    }

    /// Everything that was said so far.
    var messages: [String] {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 {
            received.append(String(decoding: buffer.prefix(count), as: UTF8.self))
        }
        return received
    }

    deinit {
        close(descriptor)
        unlink(path)
    }
}
