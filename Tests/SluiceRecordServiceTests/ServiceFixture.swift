import Foundation
import SluiceHTTPClient
import SluiceHTTPServer
import SluiceRecords
import Synchronization
import Testing

@testable import SluiceRecordService

/// A record service over TLS on a free port, with one user, one API token and a client that trusts its certificate.
final class ServiceFixture: Sendable {
    struct Answer: Sendable {
        let status: Int
        let headers: [HTTPHeader]
        let body: Data

        var text: String { String(decoding: body, as: UTF8.self) }
        var json: JSONObject { get throws { try JSONValue(parsing: body).asObject() } }
        var code: String? { get throws { try json.string("serverErrorCode") } }
        func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
        func decoded<Value: WireDecodable>(_ type: Value.Type = Value.self) throws -> Value { try Value(decoding: body) }
    }

    let folder: URL
    let storage: SQLiteRecordStorage
    let server: RecordServer
    let client: HTTPClient
    let apiToken: AccessToken
    let userToken: AccessToken
    /// Another user's.
    let strangerToken: AccessToken
    let assets: FileAssetStore
    /// Milliseconds that the service's clock is ahead of the real one.
    let ahead: Ahead
    let lines: LogLines
    let path = DatabasePath(container: "iCloud.test", environment: .development, scope: .private)

    final class Ahead: Sendable {
        private let milliseconds = Mutex<Int64>(0)
        var value: Int64 { milliseconds.withLock { $0 } }
        func add(minutes: Int64) { milliseconds.withLock { $0 += minutes * 60_000 } }
    }

    /// What the service logged.
    final class LogLines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func append(_ line: String) { lines.withLock { $0.append(line) } }
    }

    init(_ configuration: ServiceConfiguration = ServiceConfiguration()) async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("sluice-service-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        storage = try SQLiteRecordStorage.open(path: folder.appendingPathComponent("records.sqlite").path)
        var random = SystemRandomNumberGenerator()
        apiToken = AccessToken.api(&random)
        userToken = AccessToken.user(&random)
        try await storage.addToken(NewToken(.api, digest: apiToken.digest, container: path.container, environment: path.environment))
        try await storage.addToken(
            NewToken(.user(name: "ann", holder: "phone"), digest: userToken.digest, container: path.container, environment: path.environment))
        strangerToken = AccessToken.user(&random)
        try await storage.addToken(
            NewToken(.user(name: "bob", holder: "phone"), digest: strangerToken.digest, container: path.container, environment: path.environment))
        assets = try FileAssetStore(folder: folder.appendingPathComponent("assets").path)
        let ahead = Ahead()
        self.ahead = ahead
        let certificate = try DevelopmentCertificate.make(for: ["localhost", "127.0.0.1"], now: Date())
        let authority = folder.appendingPathComponent("ca.pem")
        try Data(certificate.authority.utf8).write(to: authority)
        var http = ServerConfiguration()
        http.tls = TLSIdentity(certificate: certificate.server, privateKey: certificate.serverKey)
        let lines = LogLines()
        self.lines = lines
        server = try RecordServer.start(
            configuration, http: http, on: try ListenSocket(host: "127.0.0.1", port: 0), storage: storage, assets: assets,
            environment: StorageEnvironment(now: { StorageEnvironment.system.now() + ahead.value }, random: StorageEnvironment.system.random),
            log: ServiceLog { lines.append($0) })
        var trusting = HTTPClientConfiguration()
        trusting.extraAuthoritiesFile = authority.path
        client = try HTTPClient(trusting)
    }

    /// Runs `body` against a service and stops it, whatever happens.
    static func run(_ configuration: ServiceConfiguration = ServiceConfiguration(), _ body: (ServiceFixture) async throws -> Void) async throws {
        let fixture = try await ServiceFixture(configuration)
        do { try await body(fixture) } catch {
            await fixture.stop()
            throw error
        }
        await fixture.stop()
    }

    func stop() async {
        await server.stop(within: .seconds(2))
        try? FileManager.default.removeItem(at: folder)
    }

    // MARK: Requests

    func send(_ method: HTTPClientRequest.Method, _ target: String, headers: [HTTPHeader] = [], body: Data? = nil) async throws -> Answer {
        let port = try #require(server.port)
        let url = try #require(URL(string: "https://127.0.0.1:\(port)\(target)"))
        let response = try await client.send(HTTPClientRequest(method, url, headers: headers, body: body))
        return Answer(status: response.status, headers: response.headers, body: response.body)
    }

    /// The path and query of a URL that the service gave out for itself.
    func target(of url: String) throws -> String {
        let base = "https://127.0.0.1:\(try #require(server.port))"
        try #require(url.hasPrefix(base + "/"), "\(url)")
        return String(url.dropFirst(base.count))
    }

    /// As a client of the dialect: both tokens in the query.
    func foreign(
        _ endpoint: Endpoint, _ body: String, scope: DatabaseScope = .private, headers: [HTTPHeader] = [], as token: AccessToken? = nil
    ) async throws -> Answer {
        var path = path
        path.scope = scope
        return try await send(
            .post, "\(path.path(of: endpoint))?ckAPIToken=\(apiToken.text)&ckWebAuthToken=\((token ?? userToken).text)&remapEnums=true", headers: headers,
            body: Data(body.utf8))
    }

    /// As a Sluice client: the user token in a header.
    func sluice(_ endpoint: Endpoint, _ body: some WireEncodable, id: String? = nil) async throws -> Answer {
        try await send(.post, path.path(of: endpoint), headers: sluiceHeaders(id), body: try body.encoded())
    }

    func sluiceHeaders(_ id: String? = nil) -> [HTTPHeader] {
        [HTTPHeader("Authorization", "Bearer \(userToken.text)"), HTTPHeader(SluiceHeader.client, "tests/1")]
            + (id.map { [HTTPHeader(SluiceHeader.idempotencyKey, $0)] } ?? [])
    }

    func makeZone(_ name: String = "Notes") async throws {
        let answer = try await sluice(.zonesModify, ZonesModifyRequest(operations: [ZoneOperation(.create, ZoneID(name))]))
        try #require(answer.status == 200)
    }

    func write(_ operations: [RecordOperation], id: String? = nil) async throws -> Answer {
        try await sluice(.recordsModify, ModifyRequest(operations: operations, zoneID: ZoneID("Notes")), id: id)
    }

    func feed(_ token: String? = nil, limit: Int? = nil) async throws -> ZoneChangesResponse {
        try await sluice(.zoneChanges, ZoneChangesRequest(zones: [.init(ZoneID("Notes"), syncToken: token, resultsLimit: limit)])).decoded()
    }
}
