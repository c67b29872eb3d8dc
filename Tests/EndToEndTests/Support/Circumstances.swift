import Foundation
import SluiceCoordinator
import SluiceHTTPClient
import SluiceRecords
import SluiceSQLite
import Testing

/// What a person, an operator or bad luck does to an installation.
extension Installation {
    /// What only root can set up.
    static let isRoot = geteuid() == 0

    // MARK: The service

    /// Starts the service from a file of its own; after the first time on the same port.
    func startService(quota: String) async throws {
        let file = path("records.yaml")
        let text = """
            listen: {address: 127.0.0.1, port: \(port), certificateFile: certificates/server.pem, keyFile: certificates/server.key}
            dataDirectory: \(path("records"))
            quota: {bytesPerUser: \(quota)}
            """
        try Data(text.utf8).write(to: URL(filePath: file))
        try await startService(arguments: ["--config", file])
    }

    /// Ends the tokens of an account.
    func revokeToken(of account: String) throws {
        struct Token: Decodable {
            let id: Int
            let holder: String
            let state: String
        }
        for line in try expectSuccess("sluice-records", ["token", "list", "--json", "--data", path("records")]).split(separator: "\n") {
            let token = try JSONDecoder().decode(Token.self, from: Data(line.utf8))
            guard token.holder == account, token.state == "valid" else { continue }
            try expectSuccess("sluice-records", ["token", "revoke", "\(token.id)", "--data", path("records")])
        }
    }

    /// Requests that the service has answered, by the lines of its log.
    var requestCount: Int { service?.errorText.split(separator: "\n").count { $0.contains("POST ") || $0.contains("GET ") } ?? 0 }

    // MARK: Accounts

    func editAccount(_ name: String, _ change: (String) -> String) throws {
        let file = URL(filePath: path("config/accounts.d/\(name).yaml"))
        try Data(change(try String(contentsOf: file, encoding: .utf8)).utf8).write(to: file)
    }

    func reload() { coordinator?.signal(SIGHUP) }

    /// Waits until the account says that it is in this state, without asking it to do anything.
    @discardableResult
    func expectState(
        _ state: String, of account: String, pending: Int? = nil, within limit: Duration = .seconds(30),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> AccountStatus {
        var last: AccountStatus?
        let isReached = try await eventually(within: limit) {
            last = try status(account)
            return last?.state == state && (pending == nil || last?.pending == pending)
        }
        #expect(isReached, "\(account): \(last.map { "\($0)" } ?? "stopped")", sourceLocation: sourceLocation)
        return try #require(last, sourceLocation: sourceLocation)
    }

    /// A way to the coordinator for what is too much for a command line.
    func control(_ account: String) throws -> ControlClient { try ControlClient(account: account, stateDirectory: path("state/\(account)")) }

    // MARK: Mounts

    /// Mounts at `place` for as long as `body` runs. Returns false where this machine does not let us.
    func mounting(_ arguments: [String], at place: String, _ body: () async throws -> Void) async throws -> Bool {
        guard Self.isRoot, try Program.run("/usr/bin/env", ["mount"] + arguments + [place]).code == 0 else { return false }
        func unmount() throws { _ = try Program.run("/usr/bin/env", ["umount", "--lazy", place]) }
        do { try await body() } catch {
            // Whoever still has files there must go before the folder does.
            try await stopCoordinator(SIGKILL)
            try unmount()
            throw error
        }
        try unmount()
        return true
    }
}

// MARK: Looking from outside

extension Installation {
    /// A counter of the service since it was started.
    func metric(_ name: String) async throws -> Int {
        var configuration = HTTPClientConfiguration()
        configuration.extraAuthoritiesFile = path("certificates/ca.pem")
        let url = try #require(URL(string: "https://127.0.0.1:\(port)/metrics"))
        let text = String(decoding: try await HTTPClient(configuration).send(HTTPClientRequest(.get, url)).body, as: UTF8.self)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name + " ") })
        return try #require(Int(line.dropFirst(name.count + 1)))
    }

    /// Writes records as a client that knows nothing of Sluice's fields would.
    func write(_ operations: [RecordOperation], as account: String) async throws {
        let body = try ModifyRequest(operations: operations, zoneID: ZoneID("shop"), isAtomic: false).encoded()
        for result in try await client(account).modify(body, operation: UUID().uuidString).records {
            if let error = result.error { throw Failure(text: "the service refuses \(result): \(error)") }
        }
    }

    /// Names of an entity's records, sorted.
    func names(_ entity: String, of account: String) async throws -> [String] {
        let response: QueryResponse = try await control(account).post("/v1/query", QueryRequest(entity: entity))
        return response.rows.map(\.name).sorted()
    }

    /// Everything below `place` with sizes and times; what a visitor must not change.
    static func listing(_ place: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: place).sorted().map { name in
            let attributes = try FileManager.default.attributesOfItem(atPath: place + "/" + name)
            return "\(name) \(attributes[.size] ?? 0) \(attributes[.modificationDate] ?? "") \(attributes[.posixPermissions] ?? 0)"
        }
    }

    /// Finished work leaves nothing unfinished behind.
    func expectNoTemporaryFiles(sourceLocation: SourceLocation = #_sourceLocation) throws {
        for place in ["state", "groups"] {
            let names = try FileManager.default.subpathsOfDirectory(atPath: path(place))
            let left = names.filter { name in [".importing", ".partial", ".new", "-journal"].contains { name.contains($0) } }
            #expect(left.isEmpty, sourceLocation: sourceLocation)
        }
    }

    /// The sample store in Core Data's layout with `count` items, at a place of its own that is returned. Its account is to be written with
    /// `schema: shopping`.
    /// - Parameter change: what else is done while the store is open; what is only in the log then stays in the log, as after a crash.
    func makeLegacyStore(items count: Int, _ change: (Connection) throws -> Void = { _ in }) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
        let script = try String(contentsOf: root.appending(path: "Config/legacy/shopping.sql"), encoding: .utf8)
        let place = path("legacy")
        for folder in [place, path("writing")] { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
        let connection = try Connection(path: path("writing/shopping.store"), mode: .create)
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
        try connection.execute(script)
        try Self.addItems(7...count, to: connection)
        _ = try connection.checkpoint()
        try change(connection)
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.copyItem(atPath: path("writing/shopping.store" + suffix), toPath: place + "/shopping.store" + suffix)
        }
        let schemas = path("config/schemas/shopping")
        try FileManager.default.createDirectory(atPath: schemas, withIntermediateDirectories: true)
        let schema = try expectSuccess("sluice", ["import", "--inspect", place + "/shopping.store", "--schema-name", "shopping"])
        try Data(schema.utf8).write(to: URL(filePath: schemas + "/1.0.0.yaml"))
        return place + "/shopping.store"
    }

    static func addItems(_ numbers: ClosedRange<Int>, to connection: Connection) throws {
        try connection.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT \(numbers.lowerBound) UNION ALL SELECT i + 1 FROM n WHERE i < \(numbers.upperBound))
            INSERT INTO ZSHOPPINGITEM SELECT i, 1, 1, 0, 1 + i % 2, i, 790000000 + i, 'Item ' || i, randomblob(16) FROM n;
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(numbers.upperBound) WHERE Z_ENT = 1
            """)
    }

    func writeLegacyAccount(_ name: String, importing source: String, group: String = "") throws {
        try writeAccount(name, legacy: source, group: group)
        try editAccount(name) { $0.replacing("config/schemas/shop\n", with: "config/schemas/shopping\n") }
    }
}
