import Foundation
import FuzzFixture
import Glibc
import Synchronization
import Testing

@testable import SluiceHTTPServer

/// Clients that are gone, half gone, or as slow as they can be: the library neither times nor notices a suspended connection, and what it times is
/// the time without a byte.
@Suite(.timeLimit(.minutes(10))) struct DeadClientTests {
    /// How a client keeps its connection and gives nothing for it.
    enum Manner: String, CaseIterable, Sendable {
        /// Asks, and dies while its request is handled: the other side gets a reset, or nothing at all.
        case dead
        /// Asks, and closes its sending side only.
        case halfOpen
        /// Sends one byte of a body after the other, for as long as it may.
        case drippingBody
        /// The same with headers.
        case drippingHead
        /// Says nothing.
        case silent
        /// Asks for more than the sockets hold, and reads nothing of it.
        case deaf

        /// Whether the server comes to handling its request.
        var asks: Bool { [.dead, .halfOpen, .deaf].contains(self) }

        /// Whether it sees the end.
        var looks: Bool { [.drippingBody, .drippingHead, .silent].contains(self) }

        var text: String {
            switch self {
            case .dead, .halfOpen: "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n"
            case .drippingBody: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"
            case .drippingHead: "GET / HTTP/1.1\r\nHost: x\r\nX: "
            case .silent: ""
            case .deaf: "GET /much HTTP/1.1\r\nHost: x\r\n\r\n"
            }
        }
    }

    /// One connection in a manner.
    private final class Client: Sendable {
        private let descriptor: Int32
        /// Whether the other side has ended the connection by itself, as far as this one looks.
        let isEnded = Atomic(false)

        init(_ port: UInt16) throws { descriptor = try RawSocket.connection(to: .port(port)) }

        deinit { close(descriptor) }

        @discardableResult
        func send(_ text: String) -> Bool {
            Array(text.utf8).withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) } >= 0
        }

        func leave(_ manner: Manner) {
            switch manner {
            case .dead:
                var linger = linger(l_onoff: 1, l_linger: 0)
                setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
                // A descriptor of /dev/null in its place: the number is closed with this value.
                let nothing = open("/dev/null", O_RDONLY)
                dup2(nothing, descriptor)
                close(nothing)
            case .halfOpen: shutdown(descriptor, Int32(SHUT_WR))
            case .drippingBody, .drippingHead:
                Thread.detachNewThread { [self] in
                    while send("x") { Thread.sleep(forTimeInterval: 0.02) }
                    isEnded.store(true, ordering: .relaxed)
                }
            case .silent:
                Thread.detachNewThread { [self] in
                    _ = byteCount()
                    isEnded.store(true, ordering: .relaxed)
                }
            case .deaf: break
            }
        }

        /// Reads to the end. Blocking.
        func byteCount() -> Int {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            var (total, count) = (0, 1)
            while count > 0 {
                count = recv(descriptor, &buffer, buffer.count, 0)
                total += max(0, count)
            }
            return total
        }
    }

    /// More than the sockets of both sides hold.
    private static let much = Data(count: 32 << 20)

    private func eventually(_ condition: () -> Bool) async throws -> Bool {
        let end = ContinuousClock.now + .seconds(60)
        while !condition(), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(10)) }
        return condition()
    }

    @Test(arguments: Manner.allCases)
    func `a client that gives nothing is let go at the deadline of its request, and its handler ends`(manner: Manner) async throws {
        var configuration = ServerConfiguration()
        configuration.requestTime = .milliseconds(400)
        let (handled, ended) = (Counter(), Counter())
        let server = try HTTPServer.start(on: try ListenSocket(host: "127.0.0.1", port: 0), configuration) { request in
            handled.increment()
            if request.path == "/much" {
                ended.increment()
                return HTTPResponse(status: 200, headers: [:], body: Self.much)
            }
            // As a long poll does: until somebody ends its task.
            do { try await Task.sleep(for: .seconds(60)) } catch { ended.increment() }
            return .text(200, "late")
        }
        let port = try #require(server.port)
        var clients: [Client] = []
        for number in 1...4 {
            let client = try Client(port)
            client.send(manner.text)
            if manner.asks { #expect(try await eventually { handled.value == number }) }
            client.leave(manner)
            clients.append(client)
        }
        if manner.looks {
            let all = clients
            #expect(try await eventually { all.allSatisfy { $0.isEnded.load(ordering: .relaxed) } })
        }
        #expect(try await eventually { server.connectionCount == 0 }, "\(server.connectionCount) connections are kept for nobody")
        #expect(try await eventually { ended.value == handled.value }, "handlers go on for nobody")
        // Nobody sends on to who had not read a byte by then.
        if manner == .deaf { #expect(clients.allSatisfy { $0.byteCount() < Self.much.count }) }
        withExtendedLifetime(clients) {}
        await server.stop(within: .seconds(2))
    }
}

/// Counted from several tasks.
private final class Counter: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .relaxed) }
    func increment() { count.wrappingAdd(1, ordering: .relaxed) }
}
