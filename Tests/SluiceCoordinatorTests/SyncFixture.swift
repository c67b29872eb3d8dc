import Foundation
import SluiceHTTPClient
import SluiceHTTPServer
import SluiceRecordService
import SluiceRecords
import SluiceSQLite
import SluiceSchema
import Synchronization
import Testing

@testable import SluiceCoordinator

/// A record service over TLS on a free port, and devices of one user that sync with it.
final class SyncFixture: Sendable {
    let folder: URL
    let storage: SQLiteRecordStorage
    let server: RecordServer
    private let userToken: AccessToken
    private let environment: ServiceEnvironment
    let log = LogBox()

    final class LogBox: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func append(_ line: String) { lines.withLock { $0.append(line) } }
    }

    static let schema: [Entity] = [
        Entity(
            "List", attributes: [Attribute("title", .string)],
            relationships: [Relationship("items", to: "Item", isToMany: true, inverse: "list", deleteRule: .cascade)]),
        Entity(
            "Item",
            attributes: [
                Attribute("title", .string), Attribute("price", .double, isOptional: true), Attribute("data", .data, isOptional: true, isExternal: true),
            ],
            relationships: [Relationship("list", to: "List", inverse: "items")]),
    ]

    init(_ configuration: ServiceConfiguration = ServiceConfiguration(), _ environment: ServiceEnvironment = .development) async throws {
        self.environment = environment
        folder = FileManager.default.temporaryDirectory.appending(path: "sluice-sync-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        storage = try SQLiteRecordStorage.open(path: folder.appending(path: "records.sqlite").path)
        var random = SystemRandomNumberGenerator()
        userToken = AccessToken.user(&random)
        try await storage.addToken(
            NewToken(.user(name: "ann", holder: "device"), digest: userToken.digest, container: "iCloud.test", environment: environment))
        let certificate = try DevelopmentCertificate.make(for: ["localhost", "127.0.0.1"], now: Date())
        try Data(certificate.authority.utf8).write(to: folder.appending(path: "ca.pem"))
        var http = ServerConfiguration()
        http.tls = TLSIdentity(certificate: certificate.server, privateKey: certificate.serverKey)
        let log = log
        server = try RecordServer.start(
            configuration, http: http, on: try ListenSocket(host: "127.0.0.1", port: 0), storage: storage,
            log: ServiceLog { log.append($0) })
    }

    func plan(_ name: String, trusting: Bool = true, token: String? = nil) throws -> AccountPlan {
        let port = try #require(server.port)
        var http = HTTPClientConfiguration()
        if trusting { http.extraAuthoritiesFile = folder.appending(path: "ca.pem").path }
        let secret = token ?? userToken.text
        return AccountPlan(
            name: name, stateDirectory: folder.appending(path: name).path, schema: .fixed(try Schema(name: "shop", validating: Self.schema)),
            zone: "shop",
            service: ServiceAddress(
                url: try #require(URL(string: "https://127.0.0.1:\(port)")), container: "iCloud.test", environment: environment),
            http: http, credentials: { Credentials(apiToken: nil, userToken: secret) })
    }

    /// Starts an account, runs `body` with it and stops it.
    func run<Result: Sendable>(_ plan: AccountPlan, _ body: @Sendable (AccountRuntime) async throws -> Result) async throws -> Result {
        let log = log
        let runtime = AccountRuntime(plan, http: try HTTPClient(plan.http), version: "test") { log.append($0.text) }
        try await runtime.open()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await runtime.run() }
            do {
                let result = try await body(runtime)
                await runtime.stop()
                try await group.waitForAll()
                return result
            } catch {
                await runtime.stop()
                throw error
            }
        }
    }

    /// Ann's database.
    func database() async throws -> DatabaseID {
        let path = DatabasePath(container: "iCloud.test", environment: environment, scope: .private)
        return try #require(try await storage.caller(digest: userToken.digest, for: path)).database
    }

    /// Makes the service forget that there were zones.
    func forgetZones() throws {
        let connection = try Connection(path: folder.appending(path: "records.sqlite").path, mode: .readWrite)
        try connection.transaction {
            for table in ["record", "reference", "commit_log"] { try connection.execute("DELETE FROM \(table) WHERE zone > 1") }
            try connection.execute("DELETE FROM zone WHERE id > 1")
        }
    }

    func stop() async {
        await server.stop(within: .seconds(2))
        do { try FileManager.default.removeItem(at: folder) } catch { print("could not remove \(folder.path): \(error)") }
    }

    static func with(
        _ configuration: ServiceConfiguration = ServiceConfiguration(), _ environment: ServiceEnvironment = .development,
        _ body: (SyncFixture) async throws -> Void
    ) async throws {
        let fixture = try await SyncFixture(configuration, environment)
        do { try await body(fixture) } catch {
            print(fixture.log.all.suffix(40).joined(separator: "\n"))
            await fixture.stop()
            throw error
        }
        await fixture.stop()
    }
}

extension AccountRuntime {
    /// Syncs until everything is in step, and returns the status with counts and digest.
    func settle() async throws -> AccountStatus {
        let settled = try await sync(SyncRequest(waits: true))
        var status = try detailedStatus(counts: true, digest: true)
        // Between the two the service may have had news.
        (status.state, status.reason) = (settled.state, settled.reason)
        return status
    }
}
