import Foundation
import FuzzFixture
import Glibc
import SluiceHTTPServer
import SluiceRecordService
import Testing

/// Who begins to speak TLS and does not go on costs a connection until its deadline, and no longer.
@Suite(.timeLimit(.minutes(10))) struct DeadHandshakeTests {
    @Test func `a handshake that is begun and left, or never begun, is cut off at the deadline; a good client gets in beside them`() async throws {
        let certificate = try DevelopmentCertificate.make(for: ["localhost", "127.0.0.1"], now: Date())
        var configuration = ServerConfiguration()
        configuration.tls = TLSIdentity(certificate: certificate.server, privateKey: certificate.serverKey)
        configuration.requestTime = .seconds(1)
        let server = try HTTPServer.start(on: try ListenSocket(host: "127.0.0.1", port: 0), configuration) { _ in .text(200, "ok") }
        let port = try #require(server.port)
        // Nothing; a record's head; a record that says it has 512 bytes and has three.
        let beginnings: [[UInt8]] = [[], [0x16, 3, 1], [0x16, 3, 1, 2, 0, 1, 0, 1], Array("GET / HTTP/1.1\r\n\r\n".utf8)]
        let isClosed = try await withThrowingTaskGroup(of: Bool.self) { group in
            for beginning in beginnings { group.addTask { try await Self.waitForEnd(port, beginning) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(isClosed == [true, true, true, true])
        // A slow machine may take longer over a good handshake, too.
        let good = try await OutsideProgram.run("/usr/bin/curl", ["-k", "-s", "--retry", "9", "--retry-all-errors", "--retry-delay", "0", "https://127.0.0.1:\(port)/"])
        #expect(String(decoding: good.output, as: UTF8.self) == "ok\n")
        await server.stop(within: .seconds(2))
    }

    /// Whether the server ends the connection by itself; asked on a thread of its own.
    private static func waitForEnd(_ port: UInt16, _ bytes: [UInt8]) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                let descriptor: Int32
                do { descriptor = try RawSocket.connection(to: .port(port)) } catch { return continuation.resume(throwing: error) }
                defer { close(descriptor) }
                _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                var limit = timeval(tv_sec: 60, tv_usec: 0)
                setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
                var buffer = [UInt8](repeating: 0, count: 1_024)
                var count = recv(descriptor, &buffer, buffer.count, 0)
                // An alert, perhaps, and then the end.
                while count > 0 { count = recv(descriptor, &buffer, buffer.count, 0) }
                continuation.resume(returning: count == 0 || errno == ECONNRESET)
            }
        }
    }
}
