import Foundation
import SluiceHTTPClient
import SluiceHTTPServer
import SluiceRecordService
import SluiceRecords
import SluiceSchema
import Synchronization
import Testing

@testable import SluiceCoordinator

/// A record service whose requests are kept, and can be put to its handler again. The network before it can be a bad one.
final class RecordingService: Sendable {
    private let folder: URL
    private let storage: any RecordStorage
    private let service: RecordService
    private let server: HTTPServer
    private let userToken: AccessToken
    private let database: DatabaseID
    private let recorder: Recorder
    static let path = DatabasePath(container: "iCloud.test", environment: .development, scope: .private)
    static let zone = ZoneID("shop")

    /// What arrived, in order.
    private final class Recorder: Sendable {
        private let requests = Mutex<[HTTPRequest]>([])
        var all: [HTTPRequest] { requests.withLock { $0 } }
        func append(_ request: HTTPRequest) { requests.withLock { $0.append(request) } }
    }

    /// - Parameter isHostile: of every request a piece arrives before it, and all of it arrives twice; its sender gets the second answer.
    init(_ storage: any RecordStorage, isHostile: Bool) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "sluice-recorded-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var random = SystemRandomNumberGenerator()
        userToken = AccessToken.user(&random)
        try await storage.addToken(
            NewToken(.user(name: "ann", holder: "device"), digest: userToken.digest, container: Self.path.container, environment: .development))
        database = try #require(await storage.caller(digest: userToken.digest, for: Self.path)).database
        let certificate = try DevelopmentCertificate.make(for: ["localhost", "127.0.0.1"], now: Date())
        try Data(certificate.authority.utf8).write(to: folder.appending(path: "ca.pem"))
        var http = ServerConfiguration()
        http.tls = TLSIdentity(certificate: certificate.server, privateKey: certificate.serverKey)
        let service = RecordService(ServiceConfiguration(), storage: storage, log: ServiceLog { _ in })
        let recorder = Recorder()
        (self.storage, self.service, self.recorder) = (storage, service, recorder)
        server = try HTTPServer.start(on: ListenSocket(host: "127.0.0.1", port: 0), http) { request in
            recorder.append(request)
            guard isHostile, !Self.waits(request) else { return await service.answer(request, connections: 1) }
            _ = await service.answer(Self.cut(request, to: request.body.count / 2), connections: 1)
            _ = await service.answer(request, connections: 1)
            return await service.answer(request, connections: 1)
        }
    }

    func stop() async {
        await server.stop(within: .seconds(2))
        await storage.close()
        do { try FileManager.default.removeItem(at: folder) } catch { print("could not remove \(folder.path): \(error)") }
    }

    /// Requests that do not wait for news, in the order in which they came.
    var requests: [HTTPRequest] { recorder.all.filter { !Self.waits($0) } }

    private static func waits(_ request: HTTPRequest) -> Bool { request.path.hasSuffix(Endpoint.databaseChanges.rawValue) }

    static func cut(_ request: HTTPRequest, to byteCount: Int) -> HTTPRequest {
        HTTPRequest(method: request.method, target: request.target, headers: request.headers, body: Data(request.body.prefix(byteCount)))
    }

    /// Puts a request to the service's own handler once more.
    func answer(_ request: HTTPRequest) async -> HTTPResponse { await service.answer(request, connections: 1) }

    /// Everything that the service holds for the user: zones, and each record with its version, in the order of the feed.
    func state() async throws -> [String] {
        let zones = try await storage.zones(in: database).map { "zone \($0.zoneID.zoneName) \($0.syncToken ?? "")" }
        var (records, token, isOver) = ([String](), SyncToken?.none, false)
        while !isOver {
            let page = try await storage.zoneChanges(FeedQuery(zone: Self.zone, token: token, limit: 500), in: database)
            records += page.records.map { "\($0.head.recordName) \($0.head.changeTag ?? "") \($0.head.isDeleted) \(String(decoding: $0.fieldsJSON, as: UTF8.self))" }
            (token, isOver) = (page.token, !page.moreComing)
        }
        return zones + records
    }

    /// Titles of the items that are there.
    func titles() async throws -> [String] {
        let page = try await storage.zoneChanges(FeedQuery(zone: Self.zone, limit: 2_000), in: database)
        return try page.records.filter { !$0.head.isDeleted && $0.head.recordType == "Item" }.compactMap { record in
            if case .string(let title)? = try record.decoded().fields["title"]?.value { title } else { nil }
        }.sorted()
    }

    /// Runs a device of the user until `body` is done with it.
    func run<Result: Sendable>(_ name: String, _ body: @Sendable (AccountRuntime) async throws -> Result) async throws -> Result {
        var http = HTTPClientConfiguration()
        http.extraAuthoritiesFile = folder.appending(path: "ca.pem").path
        let secret = userToken.text
        let port = try #require(server.port)
        let address = try #require(URL(string: "https://127.0.0.1:\(port)"))
        let plan = AccountPlan(
            name: name, stateDirectory: folder.appending(path: name).path, schema: .fixed(try Schema(name: "shop", validating: SyncFixture.schema)),
            zone: Self.zone.zoneName,
            service: ServiceAddress(
                url: address, container: Self.path.container,
                environment: .development),
            http: http, credentials: { Credentials(apiToken: nil, userToken: secret) })
        let runtime = AccountRuntime(plan, http: try HTTPClient(http), version: "test") { _ in }
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
}
