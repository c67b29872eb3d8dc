// A Unix socket's path may have 107 bytes; a state directory may have a longer one. So the socket is bound and connected to through
// `/proc/self/fd/N/control.sock`, where N is the open directory.

import CShims
import Foundation
import Glibc
import SluiceHTTPServer

/// The socket in an account's state directory: mode 0600, the coordinator's user only.
enum ControlSocket {
    private static let backlog: Int32 = 64

    static func listen(in directory: StateDirectory) throws -> ListenSocket {
        let path = directory.socketPath
        func failure(_ doing: String) -> CoordinatorError {
            .socketUnusable(path: path, detail: "\(doing) failed: \(StateDirectory.errorText())")
        }
        // The lock is ours, so a socket that lies there belongs to nobody who lives.
        unlink(path)
        let holder = sluice_open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard holder >= 0 else { throw failure("opening its directory") }
        defer { close(holder) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw failure("making a socket") }
        let bound = withAddress("/proc/self/fd/\(holder)/control.sock") { bind(descriptor, $0, $1) }
        guard bound == 0, chmod(path, 0o600) == 0, Glibc.listen(descriptor, backlog) == 0 else {
            let error = failure("binding")
            close(descriptor)
            throw error
        }
        return ListenSocket(listening: descriptor)
    }

    private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { buffer in
            for (index, byte) in path.utf8.prefix(buffer.count - 1).enumerated() { buffer[index] = byte }
        }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }
}
