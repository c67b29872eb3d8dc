// One record service: its real endpoints, rules, ledger, feed, tokens and epochs, on one of its storages. Requests are handed over as the HTTP
// server would, one at a time.

import Foundation
import SluiceHTTPServer
import SluiceRecordService
import SluiceRecords
import SluiceSync

/// A service that can be stopped, copied and put back.
final class SimulatedService {
    static let container = "iCloud.simulation"
    static let zone = ZoneID("z")
    /// The person whose devices these are, and somebody else.
    static let users = ["anna", "ben"]

    private let folder: URL
    private let clock: WorldClock
    private let random: SeededRandom
    private let kind: Scenario.Storage
    private let configuration: ServiceConfiguration
    private var path: String?
    private var fileCount = 0
    private(set) var storage: FailingStorage
    /// One for each process, which take turns.
    private var services: [RecordService]
    private var requestCount = 0
    /// Requests up to then are answered 429.
    var throttledUntil: Int64 = 0
    private var issued: [String: String] = [:]
    private var revoked: Set<String> = []
    private var databases: [Int: DatabaseID] = [:]

    init(_ scenario: Scenario, folder: URL, clock: WorldClock, random: SeededRandom) throws {
        self.folder = folder
        self.clock = clock
        self.random = random
        kind = scenario.storage
        var configuration = ServiceConfiguration()
        configuration.limits = ServiceLimits(operations: scenario.operations, bytes: 8 << 20)
        configuration.rate = Double(scenario.rate)
        configuration.burst = Double(scenario.rate) * 4
        self.configuration = configuration
        if kind == .file { path = folder.appending(path: "records.sqlite").path }
        let environment = Self.environment(clock, random)
        storage = FailingStorage(try Self.open(kind, path, environment), clock: clock)
        services = Self.services(scenario.processes, configuration, storage, environment)
    }

    private static func services(
        _ count: Int, _ configuration: ServiceConfiguration, _ storage: FailingStorage, _ environment: StorageEnvironment
    ) -> [RecordService] {
        (0..<max(1, count)).map { _ in RecordService(configuration, storage: storage, environment: environment, log: ServiceLog { _ in }) }
    }

    private static func environment(_ clock: WorldClock, _ random: SeededRandom) -> StorageEnvironment {
        StorageEnvironment(now: { clock.now }, random: { random.next() })
    }

    private static func open(_ kind: Scenario.Storage, _ path: String?, _ environment: StorageEnvironment) throws -> any RecordStorage {
        switch kind {
        case .memory: try SerialRecordStorage(path: path, environment: environment)
        case .file: try SQLiteRecordStorage.open(path: path ?? "", readers: 1, environment: environment)
        }
    }

    // MARK: Requests

    /// - Parameters:
    ///   - token: the user token; nil for none.
    ///   - isForeign: the client knows none of our extensions.
    func answer(_ request: ExchangeRequest, token: String?, isForeign: Bool = false) async -> ExchangeAnswer {
        let time = clock.now / 1_000 * 1_000
        if clock.now < throttledUntil { return ExchangeAnswer(status: 429, body: Data(), serviceTime: time, retryAfter: 3) }
        var headers: HTTPHeaders = ["Content-Type": "application/json"]
        if !isForeign { headers.append(SluiceHeader.client, "sluice/simulation") }
        if let token, !revoked.contains(token) { headers.append("Authorization", "Bearer \(token)") }
        if let operation = request.operation { headers.append(SluiceHeader.idempotencyKey, operation) }
        let path = DatabasePath(container: Self.container, environment: .development, scope: request.scope).path(of: request.endpoint)
        requestCount += 1
        let service = services[requestCount % services.count]
        let response = await service.answer(HTTPRequest(method: "POST", target: path, headers: headers, body: request.body), connections: 1)
        return ExchangeAnswer(
            status: response.status, body: response.body, serviceTime: time, retryAfter: response.headers["Retry-After"].flatMap(Double.init))
    }

    /// The token of one device for one user; the same each time.
    func token(ofDevice device: Int, user: Int) async throws -> String {
        let holder = "device \(device)"
        let key = "\(user) \(holder)"
        if let known = issued[key] { return known }
        var random = random
        let token = AccessToken.user(&random)
        try await storage.addToken(
            NewToken(
                .user(name: Self.users[user], holder: holder), digest: token.digest, container: Self.container, environment: .development))
        issued[key] = token.text
        let path = DatabasePath(container: Self.container, environment: .development, scope: .private)
        databases[user] = try await storage.caller(digest: token.digest, for: path)?.database
        return token.text
    }

    func revoke(_ token: String) { revoked.insert(token) }
    func renew(_ token: String) { revoked.remove(token) }

    // MARK: What it holds

    /// Every record of the zone, tombstones too, and the token of the feed's head; nil where the zone is not there.
    func contents(user: Int) async throws -> (records: [Record], head: String)? {
        guard let database = databases[user] else { return nil }
        do {
            let page = try await storage.zoneChanges(FeedQuery(zone: Self.zone, limit: .max - 1, bytes: .max), in: database)
            return (try page.records.map { $0.head.isDeleted ? $0.head : try $0.decoded() }, page.token.text)
        } catch StorageError.zoneNotFound, StorageError.zoneDeleted {
            return nil
        }
    }

    func makeZone(user: Int) async throws {
        _ = try await token(ofDevice: 98, user: user)
        if let database = databases[user] { _ = try await storage.base.modifyZones([ZoneOperation(.create, Self.zone)], in: database) }
    }

    /// - Returns: whether there was one.
    func deleteZone(user: Int, _ reason: ZoneDeletionReason) async throws -> Bool {
        guard let database = databases[user] else { return false }
        let results = try await storage.base.modifyZones([ZoneOperation(.delete, Self.zone, deletionReason: reason)], in: database)
        if case .zone? = results.first { return true }
        return false
    }

    // MARK: Life

    /// The processes end and others begin: rate limits and whatever else is in memory are gone.
    func restart() { services = Self.services(services.count, configuration, storage, Self.environment(clock, random)) }

    func prune() async throws { try await storage.base.prune() }

    /// Copies the file, as an operator would.
    func copy() throws -> String {
        let copy = nextPath()
        if let serial = storage.base as? SerialRecordStorage { try serial.copy(to: copy) } else { try ServiceCopy.make(of: path ?? "", at: copy) }
        return copy
    }

    /// Puts a copy in the file's place.
    /// - Parameter announced: as a new timeline, as the service's own restore does it; else without a word.
    func restore(_ copy: String, announced: Bool) async throws {
        await storage.close()
        let place = nextPath()
        try ServiceCopy.make(of: copy, at: place)
        if announced { try ServiceCopy.begin(Epoch(rawValue: random.next()), at: place) }
        path = place
        storage = FailingStorage(try Self.open(kind, place, Self.environment(clock, random)), clock: clock)
        restart()
        // Tokens that were issued since are issued again: what is restored here is data, not who may read it.
        for (key, text) in issued.sorted(by: { $0.key < $1.key }) {
            let path = DatabasePath(container: Self.container, environment: .development, scope: .private)
            let digest = AccessToken.digest(of: text)
            guard try await storage.caller(digest: digest, for: path) == nil else { continue }
            let parts = key.split(separator: " ", maxSplits: 1)
            guard let user = parts.first.flatMap({ Int($0) }), let holder = parts.last else { continue }
            try await storage.addToken(
                NewToken(
                    .user(name: Self.users[user], holder: String(holder)), digest: digest, container: Self.container, environment: .development))
        }
    }

    func close() async { await storage.close() }

    private func nextPath() -> String {
        fileCount += 1
        return folder.appending(path: "records \(fileCount).sqlite").path
    }
}
