import Foundation
import Testing

@testable import SluiceHTTPClient

@Suite struct TLSTests {
    @Test func `report R10: an unknown certificate is its own kind of error and no request is sent`() async throws {
        let server = try TLSServer(answersPages: false)
        let client = try HTTPClient(HTTPClientConfiguration())
        let request = HTTPClientRequest(.post, try server.url(), headers: [HTTPHeader("Authorization", "secret")], body: Data("body".utf8))
        let error = await #expect(throws: HTTPClientError.self) { try await client.send(request) }
        #expect(error?.kind == .certificate)
        #expect(error?.requestMayHaveArrived == false)
        #expect(error?.isRetryable == false)
        let received = try server.finish()
        #expect(!received.contains("POST"))
        #expect(!received.contains("secret"))
    }

    @Test func `a certificate of an authority that the configuration names is trusted`() async throws {
        let server = try TLSServer(answersPages: true)
        var configuration = HTTPClientConfiguration()
        configuration.extraAuthoritiesFile = server.certificate
        let answer = try await HTTPClient(configuration).send(HTTPClientRequest(.get, server.url()))
        #expect(answer.status == 200)
    }

    @Test func `a trusted certificate for another name is refused`() async throws {
        let server = try TLSServer(name: "records.example", answersPages: true)
        var configuration = HTTPClientConfiguration()
        configuration.extraAuthoritiesFile = server.certificate
        let client = try HTTPClient(configuration)
        let error = await #expect(throws: HTTPClientError.self) { try await client.send(HTTPClientRequest(.get, server.url())) }
        #expect(error?.kind == .certificate)
    }

    @Test func `a peer that speaks no TLS is a tls error that is tried again`() async throws {
        let server = try LoopbackServer(greeting: "220 ready\r\n") { _, _ in .close }
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        let client = try HTTPClient(HTTPClientConfiguration())
        let error = await #expect(throws: HTTPClientError.self) { try await client.send(HTTPClientRequest(.get, url)) }
        #expect(error?.kind == .tls)
        #expect(error?.isRetryable == true)
        #expect(error?.requestMayHaveArrived == false)
    }

    @Test func `an authorities' file that does not exist is refused when the client is made`() {
        var configuration = HTTPClientConfiguration()
        configuration.extraAuthoritiesFile = "/nonexistent/authority.pem"
        #expect(throws: HTTPClientError.self) { try HTTPClient(configuration) }
    }
}
