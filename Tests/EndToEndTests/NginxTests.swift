import Foundation
import Glibc
import SluiceCoordinator
import SluiceHTTPClient
import SluiceRecords
import SluiceSync
import Testing

/// The sample in `Deploy/nginx.conf`, in a real nginx on loopback.
@Suite(.timeLimit(.minutes(10))) struct NginxTests {
    /// A port that was free just now.
    private static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0 }
        }
        try #require(isBound)
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// The sample with the installation's paths and ports; every replaced text must be there.
    private static func configuration(_ installation: Installation, port: Int) throws -> String {
        let sample = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Deploy/nginx.conf")
        var text = try String(contentsOf: sample, encoding: .utf8)
        for (from, to) in [
            ("127.0.0.1:8443", "127.0.0.1:\(installation.port)"), ("listen 443 ssl", "listen 127.0.0.1:\(port) ssl"),
            ("/etc/nginx/records.example.pem", installation.path("certificates/server.pem")),
            ("/etc/nginx/records.example.key", installation.path("certificates/server.key")),
            ("/var/log/nginx/sluice-records.log", installation.path("nginx/access.log")), ("/etc/sluice-records/ca.pem", installation.path("certificates/ca.pem")),
        ] {
            try #require(text.contains(from), "\(from)")
            text = text.replacingOccurrences(of: from, with: to)
        }
        let folder = installation.path("nginx")
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(folder)/\($0);" }.joined(separator: "\n")
        return """
            daemon off; master_process off; worker_processes 1; pid \(folder)/pid; error_log \(folder)/error.log info;
            events {}
            http {
            \(temporary)
            \(text)
            }
            """
    }

    private func withNginx(_ body: (Installation, _ port: Int) async throws -> Void) async throws {
        try await Installation.with { installation in
            try await installation.startService()
            let port = try Self.freePort()
            try FileManager.default.createDirectory(atPath: installation.path("nginx"), withIntermediateDirectories: true)
            let file = installation.path("nginx/nginx.conf")
            try Data(try Self.configuration(installation, port: port).utf8).write(to: URL(filePath: file))
            // One process without children: it may be killed, and goes with this value at the latest.
            let nginx = try Program("/usr/sbin/nginx", ["-p", installation.path("nginx"), "-c", file])
            defer { nginx.signal(SIGKILL) }
            let log = { String(decoding: FileManager.default.contents(atPath: installation.path("nginx/error.log")) ?? Data(), as: UTF8.self) }
            let isUp = try await eventually { FileManager.default.fileExists(atPath: installation.path("nginx/pid")) || !nginx.isRunning }
            try #require(isUp && nginx.isRunning, "\(log())")
            do { try await body(installation, port) } catch {
                print(log().suffix(2_000))
                throw error
            }
        }
    }

    @Test func `a device syncs over HTTP/2 through nginx, hears of others at once, and no token is in a log`() async throws {
        try await withNginx { installation, port in
            let (direct, proxied) = ("https://127.0.0.1:\(installation.port)", "https://127.0.0.1:\(port)")
            // A foreign client first: its tokens are in the query.
            var http = HTTPClientConfiguration()
            http.extraAuthoritiesFile = installation.path("certificates/ca.pem")
            let client = try HTTPClient(http)
            let path = DatabasePath(container: Installation.container, environment: .development, scope: .public).path(of: .usersCaller)
            try installation.issueToken(for: "through")
            let token = try #require(installation.tokens["through"])
            let url = try #require(URL(string: "\(proxied)\(path)?ckSession=\(token)&ckAPIToken=none"))
            let refused = try await client.send(HTTPClientRequest(.get, url))
            #expect(refused.status == 401 && refused.version == "2")
            let plain = try await client.send(HTTPClientRequest(.get, try #require(URL(string: "\(direct)/healthz"))))
            #expect(plain.status == 200 && plain.version == "1.1")

            try installation.writeAccount("through", url: proxied)
            try installation.writeAccount("beside")
            try await installation.startCoordinator()
            try installation.put("through", "over HTTP/2", name: "11111111-1111-4111-8111-111111111111")
            _ = try await installation.settle("through")
            // A long poll through nginx: nobody asks this account to sync, and its schedule is five minutes.
            try installation.put("beside", "from elsewhere")
            _ = try await installation.settle("beside")
            #expect(try await eventually(within: .seconds(60)) { try installation.sluice(["query", "Item", "--account", "through"]).output.contains("from elsewhere") })
            let (one, other) = (try await installation.settle("through"), try await installation.settle("beside"))
            #expect(one.digest == other.digest && one.digest != nil)

            let access = try String(contentsOfFile: installation.path("nginx/access.log"), encoding: .utf8)
            #expect(access.contains("records/modify HTTP/2.0\" 200") && !access.contains("HTTP/1.1"))
            for text in [access, installation.service?.errorText ?? ""] { #expect(!text.contains(token) && !text.contains("ckSession")) }
            let tooLarge = try await client.send(HTTPClientRequest(.post, try #require(URL(string: "\(proxied)\(path)")), body: Data(count: 9 << 20)))
            // The service's own word, not nginx's page.
            #expect(tooLarge.status == 413 && String(decoding: tooLarge.body, as: UTF8.self).contains("LIMIT_EXCEEDED"))
        }
    }
}
