import CloudKitDouble
import Foundation
import SluiceHTTPClient
import SluiceHTTPServer
import SluiceJSON
import SluiceRecordService
import SluiceRecords
import SluiceSchema
import SluiceSync
import Testing

@testable import SluiceCoordinator

/// CloudKit's double over TLS, and devices that sync with it.
final class CloudKitFixture: Sendable {
    static let user = "_ann"
    static let zone = "shop"
    /// Making keys takes longer than most tests.
    private static let certificate = Result { try DevelopmentCertificate.make(for: ["localhost", "127.0.0.1"], now: Date()) }

    let folder: URL
    let cloud: CloudKitDouble
    let log = SyncFixture.LogBox()

    static let schema: [Entity] = [
        Entity(
            "List", attributes: [Attribute("title", .string)],
            relationships: [Relationship("items", to: "Item", isToMany: true, inverse: "list", deleteRule: .cascade)]),
        Entity(
            "Item",
            attributes: [
                Attribute("title", .string), Attribute("price", .double, isOptional: true), Attribute("due", .date, isOptional: true),
                Attribute("count", .int64, defaultValue: .integer(0)), Attribute("data", .data, isOptional: true),
            ],
            relationships: [Relationship("list", to: "List", inverse: "items")]),
    ]

    private init(_ habits: Habits) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "sluice-cloud-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let certificate = try Self.certificate.get()
        try Data(certificate.authority.utf8).write(to: folder.appending(path: "ca.pem"))
        cloud = try CloudKitDouble.start(
            tls: TLSIdentity(certificate: certificate.server, privateKey: certificate.serverKey), habits: habits)
    }

    /// An account with a token of its own; called again, the same device with a fresh one.
    func plan(_ name: String, user: String = CloudKitFixture.user, policies: MergePolicies = MergePolicies()) throws -> AccountPlan {
        var http = HTTPClientConfiguration()
        http.extraAuthoritiesFile = folder.appending(path: "ca.pem").path
        let token = cloud.signIn(user)
        var plan = AccountPlan(
            name: name, stateDirectory: folder.appending(path: name).path, schema: .fixed(try Schema(name: "shop", validating: Self.schema)),
            zone: Self.zone,
            service: ServiceAddress(
                url: try #require(URL(string: "https://127.0.0.1:\(cloud.port)")), container: "iCloud.test", environment: .production),
            http: http, credentials: { Credentials(apiToken: CloudKitDouble.apiToken, userToken: token) })
        plan.policies = policies
        plan.pushDelay = .milliseconds(5)
        return plan
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

    /// Runs two devices of one user beside each other, in step to begin with.
    func runTwo(policies: MergePolicies = MergePolicies(), _ body: @Sendable (AccountRuntime, AccountRuntime) async throws -> Void) async throws {
        try await run(plan("a", policies: policies)) { a in
            try await run(plan("b", policies: policies)) { b in
                try await bringIntoStep(a, b)
                try await body(a, b)
            }
        }
    }

    /// Syncs until nothing is left to do on any of them, and what one sent the others have.
    @discardableResult
    func bringIntoStep(_ accounts: AccountRuntime...) async throws -> AccountStatus {
        var last: [AccountStatus] = []
        let isDone = try await eventually {
            last = []
            for account in accounts { last.append(try await account.settle()) }
            return last.allSatisfy { $0.state == "idle" && $0.pending == 0 && $0.digest == last.first?.digest }
        }
        #expect(isDone, "\(last) \(log.all.suffix(20).joined(separator: "\n"))")
        return try #require(last.first)
    }

    /// The records that the service has.
    var records: [String: JSONObject] { cloud.records(of: Self.user, in: Self.zone) ?? [:] }

    func calls(_ endpoint: String) -> [Call] { cloud.calls.filter { $0.endpoint == endpoint } }

    static func with(_ habits: Habits = Habits(), _ body: (CloudKitFixture) async throws -> Void) async throws {
        let fixture = try CloudKitFixture(habits)
        do { try await body(fixture) } catch {
            print(fixture.log.all.suffix(40).joined(separator: "\n"))
            await fixture.cloud.stop()
            throw error
        }
        #expect(fixture.cloud.complaints.isEmpty, "\(fixture.cloud.complaints.prefix(5))")
        #expect(fixture.calls("records/query").isEmpty)
        await fixture.cloud.stop()
        try FileManager.default.removeItem(at: fixture.folder)
    }
}

extension AccountRuntime {
    /// Makes an item, or changes the one of that name.
    func putItem(_ name: String, _ properties: [String: ScalarForm]) throws {
        _ = try put(PutRequest(entity: "Item", name: name, properties: properties))
    }
}
