import Foundation
import Testing

@testable import SluiceHTTPClient

/// Who the other side is, and who we are to it.
@Suite struct PeerTests {
    private let certificates: CertificateFolder

    init() throws { certificates = try CertificateFolder() }

    private func trusting(_ name: String) -> HTTPClientConfiguration {
        var configuration = HTTPClientConfiguration()
        configuration.extraAuthoritiesFile = certificates.path("\(name).pem")
        return configuration
    }

    private let secret = [HTTPHeader("Authorization", "secret")]

    private func failure(_ configuration: HTTPClientConfiguration, _ url: URL) async throws -> HTTPClientError {
        let client = try HTTPClient(configuration)
        let request = HTTPClientRequest(.post, url, headers: secret, body: Data("body".utf8))
        return try #require(await #expect(throws: HTTPClientError.self) { try await client.send(request) })
    }

    // MARK: Authorities

    /// `server` by `valid`, which `expired` vouched for too; the server shows that second paper along with its own.
    private func makeCrossSigned() throws -> TLSServer {
        try certificates.makeExpiredRoot("expired")
        try certificates.makeRoot("valid")
        try certificates.sign("valid", by: "expired", extensions: "basicConstraints=critical,CA:TRUE", as: "cross")
        try certificates.sign("server", by: "valid", extensions: "subjectAltName=DNS:localhost", as: "server")
        return try TLSServer(certificates, answersPages: true, ["-cert_chain", "cross.pem"])
    }

    @Test func `report R10: an expired authority does no harm where another chain is valid`() async throws {
        let server = try makeCrossSigned()
        try certificates.join(["expired", "valid"], as: "both")
        #expect(try await HTTPClient(trusting("both")).send(HTTPClientRequest(.get, server.url())).status == 200)
    }

    @Test func `report R10: with the expired authority alone nothing is sent, and it is the certificate that is named`() async throws {
        let server = try makeCrossSigned()
        let error = try await failure(trusting("expired"), server.url())
        #expect(error.kind == .certificate && !error.isRetryable && !error.requestMayHaveArrived)
        #expect(error.detail.contains("expired"))
        #expect(!(try server.finish()).contains("POST"))
    }

    // MARK: Old peers

    /// A handshake of TLS 1.2 whose first answer does not know of secure renegotiation (RFC 5746), in bytes that are text.
    private static let helloOfOldServer =
        "\u{16}\u{3}\u{3}\u{0}\u{2A}\u{2}\u{0}\u{0}\u{26}\u{3}\u{3}abcdefghijklmnopqrstuvwxyz012345\u{0}\u{0}\u{2F}\u{0}"

    @Test func `report R11: a peer without secure renegotiation is a tls error that is tried again, and gets nothing`() async throws {
        let server = try LoopbackServer(greeting: Self.helloOfOldServer) { _, _ in .close }
        let error = try await failure(HTTPClientConfiguration(), try #require(URL(string: "https://localhost:\(server.port)/")))
        #expect(error.kind == .tls && error.isRetryable && !error.requestMayHaveArrived)
        #expect(error.detail.contains("renegotiation"))
    }

    // MARK: Pinned keys

    @Test func `a peer that shows a pinned key is heard, also where it is the second of the list`() async throws {
        try certificates.makeRoot("server", alternativeName: "localhost")
        try certificates.makeRoot("next")
        let server = try TLSServer(certificates, answersPages: true)
        var configuration = trusting("server")
        configuration.pinnedKeys = [try certificates.keySum(of: "next"), try certificates.keySum(of: "server")]
        #expect(try await HTTPClient(configuration).send(HTTPClientRequest(.get, server.url())).status == 200)
    }

    @Test func `a trusted peer with another key gets nothing`() async throws {
        try certificates.makeRoot("server", alternativeName: "localhost")
        try certificates.makeRoot("next")
        let server = try TLSServer(certificates, answersPages: false)
        var configuration = trusting("server")
        configuration.pinnedKeys = [try certificates.keySum(of: "next")]
        let error = try await failure(configuration, server.url())
        #expect(error.kind == .pinnedKey && !error.isRetryable && !error.requestMayHaveArrived)
        let received = try server.finish()
        #expect(!received.contains("POST") && !received.contains("secret"))
    }

    @Test func `a pinned key does not make a stranger trusted`() async throws {
        try certificates.makeRoot("server", alternativeName: "localhost")
        let server = try TLSServer(certificates, answersPages: false)
        var configuration = HTTPClientConfiguration()
        configuration.pinnedKeys = [try certificates.keySum(of: "server")]
        #expect(try await failure(configuration, server.url()).kind == .certificate)
    }

    // MARK: Client certificates

    @Test(arguments: ["-tls1_3", "-tls1_2"])
    func `report R11: a peer that asks who is there gets the client certificate, and without one it is a tls error`(version: String) async throws {
        try certificates.makeRoot("server", alternativeName: "localhost")
        try certificates.makeRoot("client")
        let server = try TLSServer(
            certificates, answersPages: true, [version, "-Verify", "1", "-verify_return_error", "-CAfile", "client.pem"])
        let error = try await failure(trusting("server"), server.url())
        #expect(error.kind == .tls && error.isRetryable)
        #expect(error.description.contains("client certificate"))
        var configuration = trusting("server")
        configuration.clientCertificate = .init(certificateFile: certificates.path("client.pem"), keyFile: certificates.path("client.key"))
        #expect(try await HTTPClient(configuration).send(HTTPClientRequest(.get, server.url())).status == 200)
    }

    @Test func `a client certificate that does not exist is refused when the client is made`() throws {
        try certificates.makeRoot("client")
        var configuration = HTTPClientConfiguration()
        configuration.clientCertificate = .init(certificateFile: certificates.path("client.pem"), keyFile: "/nonexistent/client.key")
        let error = #expect(throws: HTTPClientError.self) { try HTTPClient(configuration) }
        #expect(error?.detail.contains("/nonexistent/client.key") == true)
    }
}
