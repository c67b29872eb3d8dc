import Foundation
import Synchronization
import Testing

@testable import SluiceHTTPClient

@Suite struct HTTPClientTests {
    private func client(_ change: (inout HTTPClientConfiguration) -> Void = { _ in }) throws -> HTTPClient {
        var configuration = HTTPClientConfiguration()
        change(&configuration)
        return try HTTPClient(configuration)
    }

    private func error(of request: HTTPClientRequest, from client: HTTPClient) async -> HTTPClientError? {
        do throws(HTTPClientError) {
            _ = try await client.send(request)
            return nil
        } catch {
            return error
        }
    }

    @Test func `an answer arrives with its status, its headers and its body, and the connection is used again`() async throws {
        let server = try LoopbackServer { request, _ in
            .bytes("HTTP/1.1 404 No\r\nRetry-After: 7\r\nContent-Length: 3\r\n\r\n\(request.body.isEmpty ? "get" : "put")")
        }
        let client = try client()
        let first = try await client.send(HTTPClientRequest(.get, server.url))
        #expect(first.status == 404)
        #expect(first.header("retry-after") == "7")
        #expect(String(decoding: first.body, as: UTF8.self) == "get")
        let second = try await client.send(HTTPClientRequest(.put, server.url, headers: [HTTPHeader("X-Empty", "")], body: Data([0])))
        #expect(String(decoding: second.body, as: UTF8.self) == "put")
        #expect(server.requests[1].head.hasPrefix("PUT / HTTP/1.1"))
        #expect(server.requests[1].has("X-Empty:"))
        #expect(!server.requests[1].has("content-type"))
        #expect(server.connectionCount == 1)
    }

    @Test(arguments: [HTTPClientRequest.Method.post, .patch, .delete, .head])
    func `every method is sent as it is, without a body too`(method: HTTPClientRequest.Method) async throws {
        let server = try LoopbackServer { _, _ in .bytes("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
        #expect(try await client().send(HTTPClientRequest(method, server.url)).status == 200)
        #expect(server.requests[0].head.hasPrefix("\(method.rawValue) / "))
    }

    @Test func `report 38: a large body goes out at once, without an Expect header`() async throws {
        let body = Data(repeating: 7, count: 2_000_000)
        let server = try LoopbackServer { request, _ in
            request.has("\r\nExpect:") ? .bytes("HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n") : .ok("applied")
        }
        let answer = try await client().send(HTTPClientRequest(.post, server.url, body: body))
        #expect(answer.status == 200)
        #expect(server.requests.count == 1)
        #expect(server.requests[0].body == body)
    }

    @Test func `report 38: a 417 that comes all the same is an answer like any other`() async throws {
        let server = try LoopbackServer { _, _ in .bytes("HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n") }
        #expect(try await client().send(HTTPClientRequest(.post, server.url, body: Data([1]))).status == 417)
        #expect(server.requests.count == 1)
    }

    @Test func `an interim answer is no answer`() async throws {
        let server = try LoopbackServer { _, _ in
            .bytes("HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        let answer = try await client().send(HTTPClientRequest(.get, server.url))
        #expect(answer.status == 200)
        #expect(answer.header("X-Early") == nil)
    }

    @Test func `a compressed answer is decompressed and the size bound counts what comes out`() async throws {
        // 100,000 zero bytes, compressed by gzip; the long row of A is their middle.
        let middle = String(repeating: "A", count: 127)
        let packed = try #require(Data(base64Encoded: "H4sIAAAAAAACA+3BMQEAAADCoPVPbQ0PoA\(middle)IBXA32VEdSghgEA"))
        let server = try LoopbackServer { _, _ in
            .data(Data("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(packed.count)\r\n\r\n".utf8) + packed)
        }
        let roomy = try await client().send(HTTPClientRequest(.get, server.url))
        #expect(roomy.body.count == 100_000)
        #expect(roomy.body.allSatisfy { $0 == 0 })
        let narrow = try client { $0.responseBytesMaximum = 10_000 }
        #expect(await error(of: HTTPClientRequest(.get, server.url), from: narrow)?.kind == .tooLarge)
    }

    @Test func `an answer that announces too many bytes is refused`() async throws {
        let server = try LoopbackServer { _, _ in .bytes("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nx") }
        let client = try client { $0.responseBytesMaximum = 1000 }
        #expect(await error(of: HTTPClientRequest(.get, server.url), from: client)?.kind == .tooLarge)
    }

    @Test func `a refused connection is known to have carried nothing`() async throws {
        let url = try LoopbackServer { _, _ in .close }.url
        let error = try #require(await error(of: HTTPClientRequest(.post, url, body: Data([1])), from: client()))
        #expect(error.kind == .connect)
        #expect(!error.requestMayHaveArrived)
        #expect(error.isRetryable)
    }

    @Test func `a connection that ends after the request may have carried it`() async throws {
        let server = try LoopbackServer { _, _ in .close }
        let error = try #require(await error(of: HTTPClientRequest(.post, server.url, body: Data([1])), from: client()))
        #expect(error.kind == .reset)
        #expect(error.requestMayHaveArrived)
        #expect(error.isRetryable)
        #expect(server.requests.count == 1)
    }

    @Test func `half an answer is no answer`() async throws {
        let server = try LoopbackServer { _, _ in .last("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf") }
        #expect(await error(of: HTTPClientRequest(.get, server.url), from: try client())?.kind == .reset)
    }

    @Test func `a server that never answers meets the total timeout`() async throws {
        let server = try LoopbackServer { _, _ in .silence }
        let timeouts = HTTPTimeouts(total: .milliseconds(200))
        let error = try #require(await error(of: HTTPClientRequest(.get, server.url, timeouts: timeouts), from: client()))
        #expect(error.kind == .timeout)
        #expect(error.requestMayHaveArrived)
    }

    @Test func `cancelling the task ends the transfer and the client goes on`() async throws {
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let server = try LoopbackServer { _, number in
            if number > 1 { return .ok("fine") }
            arrival.yield()
            return .silence
        }
        let client = try client()
        let task = Task { await error(of: HTTPClientRequest(.get, server.url), from: client) }
        for await _ in arrivals { break }
        task.cancel()
        #expect(await task.value?.kind == .cancelled)
        #expect(try await client.send(HTTPClientRequest(.get, server.url)).status == 200)
    }

    @Test func `a request of a task that was cancelled before is not sent to its end`() async throws {
        let server = try LoopbackServer { _, _ in .silence }
        let client = try client()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await error(of: HTTPClientRequest(.get, server.url), from: client)
        }
        task.cancel()
        #expect(await task.value?.kind == .cancelled)
    }

    @Test func `many requests at once stay within the bound on connections`() async throws {
        let server = try LoopbackServer { _, _ in .ok("x") }
        let client = try client { $0.transfersMaximum = 2 }
        let url = server.url
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { try await client.send(HTTPClientRequest(.get, url)).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 50))
        #expect(server.connectionCount <= 2)
    }

    @Test func `a Unix socket carries requests to the control socket`() async throws {
        let path = "/tmp/sluice-http-\(UUID().uuidString.prefix(8)).sock"
        defer { unlink(path) }
        let server = try LoopbackServer(socketPath: path) { _, _ in .ok("local") }
        let url = try #require(URL(string: "http://localhost/status"))
        let client = try client { $0.proxy = .url("http://127.0.0.1:1") }
        let answer = try await client.send(HTTPClientRequest(.get, url, socketPath: path))
        #expect(String(decoding: answer.body, as: UTF8.self) == "local")
        #expect(server.requests[0].head.hasPrefix("GET /status"))
    }

    @Test(arguments: ["a\nX-Evil: 1", "a\r\nX-Evil: 1", "a\r", "a\0b", "a\u{7F}"])
    func `report R14: a line break in a header is refused before anything is sent, and its value not shown`(value: String) async throws {
        let server = try LoopbackServer { _, _ in .ok("") }
        let request = HTTPClientRequest(.get, server.url, headers: [HTTPHeader("Authorization", value)])
        let error = try #require(await error(of: request, from: client()))
        #expect(error.kind == .invalidRequest)
        #expect("\(error)".contains("Authorization"))
        #expect(!"\(error)".contains("Evil"))
        #expect(server.connectionCount == 0)
    }

    @Test(arguments: ["ftp://example.com/", "https://user:secret@example.com/", "file:///etc/passwd"])
    func `a URL of another kind or with credentials is refused, and the credentials are not shown`(text: String) async throws {
        let url = try #require(URL(string: text))
        let error = try #require(await error(of: HTTPClientRequest(.get, url), from: client()))
        #expect(error.kind == .invalidRequest)
        #expect(!"\(error)".contains("secret"))
    }

    @Test func `an error names the host and never the query`() async throws {
        let url = try #require(URL(string: "http://127.0.0.1:1/zone?ckWebAuthToken=secret"))
        let error = try #require(await error(of: HTTPClientRequest(.get, url), from: client()))
        #expect("\(error)".contains("127.0.0.1"))
        #expect(!"\(error)".contains("secret"))
    }
}
