import Foundation
import Glibc
import Synchronization
import Testing

@testable import SluiceHTTPServer

/// Bodies that go past memory.
@Suite struct StreamedBodyTests {
    private final class Collector: BodySink {
        let byteCountMax = 100_000
        private let state: Mutex<Data>
        private let ended: @Sendable () -> Void

        init(ended: @escaping @Sendable () -> Void) {
            state = Mutex(Data())
            self.ended = ended
        }

        deinit { ended() }
        var bytes: Data { state.withLock { $0 } }
        func receive(_ bytes: UnsafeRawBufferPointer) { state.withLock { $0.append(contentsOf: bytes) } }
    }

    /// Where the test waits for a sink's end.
    private final class Ends: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }
        func add() { count.withLock { $0 += 1 } }
    }

    private func withServer(_ ends: Ends, _ body: (UInt16) async throws -> Void) async throws {
        var configuration = ServerConfiguration()
        configuration.bodyBytes = 10
        configuration.bodySink = { request in request.path == "/sink" ? Collector(ended: { ends.add() }) : nil }
        let server = try HTTPServer.start(on: try ListenSocket(host: "127.0.0.1", port: 0), configuration) { request in
            guard let sink = request.sink as? Collector else { return .text(200, "memory \(request.body.count)") }
            return .text(200, "sink \(sink.bytes.count) \(sink.bytes.allSatisfy { $0 == UInt8(ascii: "x") }) \(request.body.count)")
        }
        do { try await body(try #require(server.port)) } catch {
            await server.stop(within: .seconds(2))
            throw error
        }
        await server.stop(within: .seconds(2))
    }

    private func answer(_ port: UInt16, _ path: String, byteCount: Int, chunked: Bool = false) async throws -> PlainClient.Answer? {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result {
                    let client = try PlainClient(port: port)
                    let body = String(repeating: "x", count: byteCount)
                    if chunked {
                        client.send("POST \(path) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(String(byteCount, radix: 16))\r\n\(body)\r\n0\r\n\r\n")
                    } else {
                        client.send("POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(byteCount)\r\n\r\n\(body)")
                    }
                    return client.answer()
                })
            }
        }
    }

    @Test func `a sink takes what memory would not, up to its own limit, and ends with its request`() async throws {
        let ends = Ends()
        try await withServer(ends) { port async throws in
            #expect(try await answer(port, "/sink", byteCount: 100_000)?.body == "sink 100000 true 0\n")
            #expect(try await answer(port, "/sink", byteCount: 100_000, chunked: true)?.body == "sink 100000 true 0\n")
            #expect(try await answer(port, "/sink", byteCount: 0)?.body == "sink 0 true 0\n")
            #expect(try await answer(port, "/sink", byteCount: 100_001)?.status == 413)
            #expect(try await answer(port, "/sink", byteCount: 100_001, chunked: true)?.status == 413)
            #expect(try await answer(port, "/other", byteCount: 10)?.body == "memory 10\n")
            #expect(try await answer(port, "/other", byteCount: 11)?.status == 413)
        }
        #expect(ends.value == 5)
    }

    @Test func `a sink ends when its client goes away in the middle`() async throws {
        let ends = Ends()
        try await withServer(ends) { port in
            var client: PlainClient? = try PlainClient(port: port)
            client?.send("POST /sink HTTP/1.1\r\nHost: a\r\nContent-Length: 50000\r\n\r\nxxxx")
            client = nil
            while ends.value == 0 { await Task.yield() }
        }
    }

    @Test func `a file is an answer's body, and its descriptor is closed whatever happens`() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("sluice-body-\(UUID().uuidString)").path
        let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 % 26 + 97) })
        try bytes.write(to: URL(fileURLWithPath: path))
        defer { unlink(path) }
        let server = try HTTPServer.start(on: try ListenSocket(host: "127.0.0.1", port: 0)) { _ in
            var response = HTTPResponse(status: 200)
            response.file = FileBody(descriptor: open(path, O_RDONLY), byteCount: bytes.count)
            return response
        }
        let port = try #require(server.port)
        let found = try await answer(port, "/", byteCount: 0)
        await server.stop(within: .seconds(2))
        #expect(found?.status == 200 && found?.body == String(decoding: bytes, as: UTF8.self))
        let descriptor = open(path, O_RDONLY)
        do { _ = FileBody(descriptor: descriptor, byteCount: 1) }
        #expect(fcntl(descriptor, F_GETFD) == -1)
    }
}
