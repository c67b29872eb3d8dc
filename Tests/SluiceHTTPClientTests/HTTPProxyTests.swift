import Foundation
import Testing

@testable import SluiceHTTPClient

@Suite struct HTTPProxyTests {
    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test func `a request goes through the configured proxy`() async throws {
        let proxy = try LoopbackServer { _, _ in .ok("from the proxy") }
        var configuration = HTTPClientConfiguration()
        configuration.proxy = .url("http://user:secret@127.0.0.1:\(proxy.port)")
        let client = try HTTPClient(configuration)
        let target = try url("http://records.invalid/zone")
        #expect(try await client.send(HTTPClientRequest(.get, target)).status == 200)
        #expect(proxy.requests[0].head.hasPrefix("GET http://records.invalid/zone "))
        #expect(client.effectiveProxy(for: target) == "http://127.0.0.1:\(proxy.port)")
    }

    @Test func `report R12: a loopback address is never proxied`() async throws {
        let server = try LoopbackServer { _, _ in .ok("direct") }
        var configuration = HTTPClientConfiguration()
        configuration.proxy = .environment(["http_proxy": "http://127.0.0.1:1", "all_proxy": "http://127.0.0.1:1"])
        let client = try HTTPClient(configuration)
        #expect(try await client.send(HTTPClientRequest(.get, server.url)).status == 200)
        for host in ["localhost", "a.localhost", "127.0.0.1", "127.9.9.9", "[::1]", "LOCALHOST"] {
            #expect(client.effectiveProxy(for: try url("https://\(host):8443/")) == nil)
        }
        for host in ["127.example.com", "128.0.0.1", "notlocalhost"] {
            #expect(client.effectiveProxy(for: try url("http://\(host)/")) != nil)
        }
    }

    @Test func `the environment chooses by scheme and exception`() throws {
        let proxy = HTTPProxy.environment([
            "HTTPS_PROXY": "http://secure:1", "http_proxy": "http://plain:2", "HTTP_PROXY": "http://stranger:3",
            "no_proxy": "internal.example, .other.example",
        ])
        #expect(proxy.reportedAddress(for: try url("https://records.example/")) == "http://secure:1")
        #expect(proxy.reportedAddress(for: try url("http://records.example/")) == "http://plain:2")
        #expect(proxy.reportedAddress(for: try url("https://internal.example/")) == nil)
        #expect(proxy.reportedAddress(for: try url("https://a.other.example/")) == nil)
        #expect(proxy.reportedAddress(for: try url("https://notinternal.example/")) == "http://secure:1")
        #expect(HTTPProxy.environment(["HTTP_PROXY": "http://stranger:3"]).reportedAddress(for: try url("http://records.example/")) == nil)
    }
}
