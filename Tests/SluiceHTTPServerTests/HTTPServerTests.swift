import Foundation
import Glibc
import Synchronization
import Testing

@testable import SluiceHTTPServer

/// Lets handlers wait until a test says go, and tells the test how many are waiting.
private actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var arrivals: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    func pass() async {
        if isOpen { return }
        await withCheckedContinuation { continuation in
            waiting.append(continuation)
            for arrival in arrivals where waiting.count >= arrival.count { arrival.continuation.resume() }
            arrivals.removeAll { waiting.count >= $0.count }
        }
    }

    func waitForArrivals(_ count: Int) async {
        if waiting.count >= count { return }
        await withCheckedContinuation { arrivals.append((count, $0)) }
    }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}

/// Ends when its task is cancelled, as a long poll does.
private func waitForCancellation() async {
    let (stream, continuation) = AsyncStream<Never>.makeStream()
    await withTaskCancellationHandler {
        for await _ in stream {}
    } onCancel: {
        continuation.finish()
    }
}

/// Blocking client calls run on threads of their own.
private func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result(catching: body)) }
    }
}

@Suite struct HTTPServerTests {
    private func withServer<Result: Sendable>(
        configured configuration: ServerConfiguration = ServerConfiguration(), handling handler: @escaping HTTPServer.Handler,
        _ body: (UInt16, HTTPServer) async throws -> Result
    ) async throws -> Result {
        let server = try HTTPServer.start(on: try ListenSocket(host: "127.0.0.1", port: 0), configuration, handler: handler)
        do {
            let result = try await body(try #require(server.port), server)
            await server.stop(within: .seconds(2))
            return result
        } catch {
            await server.stop(within: .seconds(2))
            throw error
        }
    }

    @Test func `a request arrives in full, and one connection carries several`() async throws {
        let handler: HTTPServer.Handler = { request in
            let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: "|")
            let text = "\(request.method) \(request.path) \(query) \(request.headers["x-UPPER"] ?? "-") \(String(decoding: request.body, as: UTF8.self))"
            return HTTPResponse(status: 201, headers: ["X-Reply": "yes"], body: Data("\(text) \(request.target)".utf8))
        }
        try await withServer(handling: handler) { port, _ in
            try await onThread {
                let client = try PlainClient(port: port)
                client.send("POST /a%20b/c?t=a%2Bb+c%3D&e&u=%C3%A9 HTTP/1.1\r\nHost: x\r\nX-Upper: v\r\nContent-Length: 5\r\n\r\nhello")
                let answer = try #require(client.answer())
                #expect(answer.status == 201)
                #expect(answer.body == "POST /a b/c t=a+b c=|e=|u=é v hello /a%20b/c?t=a%2Bb+c%3D&e&u=%C3%A9")
                #expect(answer.headers.contains("X-Reply: yes"))
                client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(client.answer()?.body == "GET /  -  /")
                client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
                #expect(client.answer()?.body == "POST /  - abcde /")
            }
        }
    }

    @Test func `many requests wait at once, each on its own connection, and all are answered`() async throws {
        let gate = Gate()
        try await withServer(handling: { _ in await gate.pass(); return .text(200, "done") }) { port, _ in
            let answers = try await withThrowingTaskGroup(of: Int?.self) { group in
                for _ in 0..<60 {
                    group.addTask {
                        try await onThread {
                            let client = try PlainClient(port: port)
                            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                            return client.answer()?.status
                        }
                    }
                }
                await gate.waitForArrivals(60)
                await gate.open()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers == Array(repeating: 200, count: 60))
        }
    }

    @Test func `a body over the limit is refused, announced or not, and never handled`() async throws {
        var configuration = ServerConfiguration()
        configuration.bodyBytes = 100
        let handled = Mutex(0)
        try await withServer(configured: configuration, handling: { _ in handled.withLock { $0 += 1 }; return .text(200, "ok") }) { port, _ in
            try await onThread {
                let announced = try PlainClient(port: port)
                announced.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 101\r\nExpect: 100-continue\r\n\r\n")
                #expect(announced.answer()?.status == 413)
                let chunked = try PlainClient(port: port)
                let piece = "3c\r\n" + String(repeating: "x", count: 60) + "\r\n"
                chunked.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n\(piece)\(piece)0\r\n\r\n")
                #expect(chunked.answer()?.status == 413)
                let fitting = try PlainClient(port: port)
                fitting.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n" + String(repeating: "x", count: 100))
                #expect(fitting.answer()?.status == 200)
            }
        }
        #expect(handled.withLock { $0 } == 1)
    }

    @Test func `a handler that takes too long is answered for, even when it does not listen`() async throws {
        var configuration = ServerConfiguration()
        configuration.requestTime = .milliseconds(300)
        let gate = Gate()
        try await withServer(configured: configuration, handling: { request in
            if request.path == "/stubborn" { await gate.pass() } else { await waitForCancellation() }
            return .text(200, "late")
        }) { port, _ in
            for path in ["/listening", "/stubborn"] {
                let status = try await onThread {
                    let client = try PlainClient(port: port)
                    client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
                    return client.answer()?.status
                }
                #expect(status == 503)
            }
            await gate.open()
        }
    }

    @Test func `a request that drips in and a connection that says nothing are closed at the deadline`() async throws {
        var configuration = ServerConfiguration()
        configuration.requestTime = .milliseconds(300)
        try await withServer(configured: configuration, handling: { _ in .text(200, "ok") }) { port, _ in
            try await onThread {
                let body = try PlainClient(port: port)
                body.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12")
                let headers = try PlainClient(port: port)
                headers.send("GET / HTTP/1.1\r\nHos")
                let silent = try PlainClient(port: port)
                #expect(body.isClosed())
                #expect(headers.answer() == nil || headers.isClosed())
                #expect(silent.isClosed())
            }
        }
    }

    @Test func `stopping answers those who wait, within its limit, and later connections are refused`() async throws {
        let gate = Gate()
        let arrived = Gate()
        let server = try HTTPServer.start(on: try ListenSocket(host: "127.0.0.1", port: 0)) { request in
            if request.path == "/stubborn" {
                await gate.pass()
            } else {
                async let signal: Void = arrived.pass()
                await waitForCancellation()
                await arrived.open()
                await signal
            }
            return .text(200, "answered")
        }
        let port = try #require(server.port)
        let ask = { @Sendable (path: String) in
            try await onThread {
                let client = try PlainClient(port: port)
                client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
                return client.answer()?.status
            }
        }
        async let polite = ask("/poll")
        async let stubborn = ask("/stubborn")
        await gate.waitForArrivals(1)
        await arrived.waitForArrivals(1)
        await server.stop(within: .seconds(3))
        #expect(try await polite == 200)
        #expect(try await stubborn == 503)
        await gate.open()
        await server.stop(within: .seconds(1))
        #expect(throws: POSIXError.self) { _ = try PlainClient(port: port) }
    }

    @Test func `an already bound Unix socket serves the same requests`() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("s-\(UUID().uuidString.prefix(8)).sock").path
        defer { unlink(path) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        try #require(withUnixAddress(path) { bind(descriptor, $0, $1) } == 0)
        try #require(listen(descriptor, 8) == 0)
        let server = try HTTPServer.start(on: ListenSocket(listening: descriptor)) { _ in .text(200, "local") }
        #expect(server.port == nil)
        let answer = try await onThread {
            let client = try PlainClient(unixSocket: path)
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            return client.answer()?.body
        }
        #expect(answer == "local\n")
        await server.stop(within: .seconds(1))
    }

    @Test func `a taken port and a broken certificate are errors that name what to do`() throws {
        let taken = try ListenSocket(host: "127.0.0.1", port: 0)
        let error = try #require(throws: HTTPServerError.self) { try ListenSocket(host: "127.0.0.1", port: try #require(taken.port)) }
        #expect(error.code == .cannotBind)
        var configuration = ServerConfiguration()
        configuration.tls = TLSIdentity(certificate: "no certificate", privateKey: "no key")
        #expect(throws: HTTPServerError.self) { try HTTPServer.start(on: taken, configuration) { _ in .text(200, "") } }
    }
}
