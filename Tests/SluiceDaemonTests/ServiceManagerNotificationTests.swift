import Foundation
import Glibc
import Testing

@testable import SluiceDaemon

@Suite struct ServiceManagerNotificationTests {
    /// A datagram socket bound where a service manager's would be.
    private func receiver(_ path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { buffer in
            buffer.copyBytes(from: path.utf8)
            if path.hasPrefix("@") { buffer[0] = 0 }
        }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        try #require(code == 0)
        return descriptor
    }

    private func next(_ descriptor: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    @Test(arguments: ["@sluice-notify-\(UUID().uuidString)", FileManager.default.temporaryDirectory.appendingPathComponent("n-\(UUID().uuidString.prefix(8))").path])
    func `each message arrives as one datagram, at a path and at an abstract name`(path: String) throws {
        let descriptor = try receiver(path)
        defer {
            close(descriptor)
            unlink(path)
        }
        let manager = ServiceManagerNotification(socketPath: path)
        manager.ready()
        manager.status("two\nlines")
        manager.extendTimeout(by: .seconds(2))
        #expect(next(descriptor) == "READY=1")
        #expect(next(descriptor) == "STATUS=two lines")
        #expect(next(descriptor) == "EXTEND_TIMEOUT_USEC=2000000")
    }

    @Test(.timeLimit(.minutes(1))) func `a manager that is behind with its reading holds nobody up who says how far the work is`() throws {
        let path = "@sluice-notify-\(UUID().uuidString)"
        let descriptor = try receiver(path)
        defer { close(descriptor) }
        let manager = ServiceManagerNotification(socketPath: path)
        // More than any socket keeps (net.unix.max_dgram_qlen).
        for number in 0..<10_000 {
            manager.extendTimeout(by: .seconds(2))
            manager.status("\(number)")
        }
        #expect(next(descriptor) == "EXTEND_TIMEOUT_USEC=2000000")
    }

    @Test func `without a manager nothing happens`() {
        ServiceManagerNotification(socketPath: nil).ready()
        ServiceManagerNotification(socketPath: "/nowhere/at/all").ready()
        ServiceManagerNotification(socketPath: String(repeating: "x", count: 300)).ready()
    }

    @Test func `a signal is a value to wait for`() async {
        let signals = SignalStream([SIGUSR1])
        kill(getpid(), SIGUSR1)
        for await signal in signals.values {
            #expect(signal == SIGUSR1)
            break
        }
    }
}
