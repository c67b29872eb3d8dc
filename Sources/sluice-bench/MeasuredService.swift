import Foundation
import SluiceHTTPClient
import SluiceRecords

/// `sluice-records serve` as its own process over TLS, in a folder of a benchmark.
final class MeasuredService {
    static let path = DatabasePath(container: "iCloud.bench", environment: .development, scope: .private)

    let folder: URL
    private(set) var program: RunningProgram
    let port: Int

    /// Makes the service and a certificate, and serves with limits that no benchmark meets.
    /// - Throws: `MissingProgram`; `WrongResult` where it does not come up.
    init(in folder: URL) async throws {
        self.folder = folder
        try RunningProgram.output("sluice-records", ["init"] + Self.scope(folder))
        try RunningProgram.output("sluice-records", ["dev-cert", "--out", folder.path, "localhost", "127.0.0.1"])
        let file = folder.appending(path: "sluice-records.yaml")
        try Data(
            """
            listen: {address: 127.0.0.1, port: 0, certificateFile: server.pem, keyFile: server.key}
            dataDirectory: records
            limits: {connections: 8192}
            rate: {requestsPerSecond: 1000000, burst: 1000000}

            """.utf8
        ).write(to: file)
        program = try RunningProgram("sluice-records", ["serve", "--config", file.path], log: folder.appending(path: "sluice-records.log"))
        let line = try await program.line(containing: "listening on")
        guard let port = line.split(separator: ":").last.flatMap({ Int($0) }) else { throw WrongResult(description: "no port in: \(line)") }
        self.port = port
    }

    private static func scope(_ folder: URL) -> [String] {
        ["--data", folder.appending(path: "records").path, "--container", path.container, "--environment", path.environment.rawValue]
    }

    var authorities: String { folder.appending(path: "ca.pem").path }
    var url: String { "https://127.0.0.1:\(port)" }

    func token(user: String, holder: String = "bench") throws -> String {
        try RunningProgram.output("sluice-records", ["token", "issue", "--user", user, "--holder", holder] + Self.scope(folder))
    }

    func makeClient() throws -> HTTPClient {
        var configuration = HTTPClientConfiguration()
        configuration.extraAuthoritiesFile = authorities
        return try HTTPClient(configuration)
    }

    /// A request as it goes over the line, for a client that only sends bytes.
    func bytes(_ endpoint: Endpoint, _ body: some WireEncodable, token: String) throws -> [UInt8] {
        let body = try body.encoded()
        let head = """
            POST \(Self.path.path(of: endpoint)) HTTP/1.1\r
            Host: 127.0.0.1:\(port)\r
            Authorization: Bearer \(token)\r
            \(SluiceHeader.client): bench/1\r
            Content-Type: application/json\r
            Content-Length: \(body.count)\r
            \r

            """
        return Array(head.utf8) + body
    }

    /// Sends one request and reads its answer.
    /// - Throws: `WrongResult` for a status other than 200.
    func send<Response: WireDecodable>(_ endpoint: Endpoint, _ body: some WireEncodable, token: String, by client: HTTPClient) async throws -> Response {
        guard let url = URL(string: url + Self.path.path(of: endpoint)) else { throw WrongResult(description: "\(url) is no address") }
        let headers = [
            HTTPHeader("Authorization", "Bearer \(token)"), HTTPHeader(SluiceHeader.client, "bench/1"), HTTPHeader("Content-Type", "application/json"),
        ]
        let answer = try await client.send(HTTPClientRequest(.post, url, headers: headers, body: try body.encoded()))
        try WrongResult.check(answer.status == 200, "\(endpoint.rawValue) was answered with \(answer.status): \(String(decoding: answer.body.prefix(400), as: UTF8.self))")
        return try Response(decoding: answer.body)
    }

    /// The sum of the service's counters of that name.
    func metric(_ name: String, by client: HTTPClient) async throws -> Double {
        guard let url = URL(string: url + "/metrics") else { throw WrongResult(description: "\(url) is no address") }
        let text = String(decoding: try await client.send(HTTPClientRequest(.get, url)).body, as: UTF8.self)
        let lines = text.split(separator: "\n").filter { $0.hasPrefix(name + " ") || $0.hasPrefix(name + "{") }
        return lines.compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.reduce(0, +)
    }
}
