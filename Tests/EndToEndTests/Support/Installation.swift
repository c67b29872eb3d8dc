import Foundation
import SluiceCoordinator
import SluiceHTTPClient
import SluiceRecords
import SluiceSync
import Testing

/// A record service and a coordinator as a person would install them, in a folder of its own that other users may enter.
final class Installation: @unchecked Sendable {
    // Unchecked: one test uses it, from one task at a time.

    static let container = "iCloud.endtoend"
    let folder: URL
    private(set) var service: Program?
    private(set) var coordinator: Program?
    private(set) var port = 0
    var tokens: [String: String] = [:]

    init() throws {
        folder = URL(filePath: "/var/tmp/sluice-e2e-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        for name in ["config/accounts.d", "config/schemas/shop", "config/credentials"] {
            try FileManager.default.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: true)
        }
        try Data(Self.schema.utf8).write(to: folder.appending(path: "config/schemas/shop/1.0.0.yaml"))
        try expectSuccess("sluice-records", ["dev-cert", "--out", path("certificates"), "localhost", "127.0.0.1"])
        try expectSuccess("sluice-records", ["init"] + recordsArguments)
    }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    var recordsArguments: [String] { ["--data", path("records"), "--container", Self.container, "--environment", "development"] }

    static let schema = """
        schema: shop
        version: 1.0.0
        entities:
          List:
            attributes:
              title: string
            relationships:
              items: {to: Item, toMany: true, inverse: list, deleteRule: cascade}
          Item:
            attributes:
              title: string
              price: double?
              count: {type: int64, default: 1}
              data: data?
            relationships:
              list: {to: List, inverse: items, optional: true}
        """

    @discardableResult
    func expectSuccess(_ program: String, _ arguments: [String]) throws -> String {
        let outcome = try Program.run(program, arguments)
        guard outcome.code == 0 else { throw Failure(text: "\(program) \(arguments): exit \(outcome.code)\n\(outcome.errors)") }
        return outcome.output
    }

    struct Failure: Error, CustomStringConvertible {
        let text: String
        var description: String { text }
    }

    // MARK: The service

    /// Starts the service; after the first time on the same port.
    /// - Parameter mayDie: a failpoint may end it before it listens.
    func startService(arguments: [String]? = nil, environment: [String: String] = [:], mayDie: Bool = false) async throws {
        let usual = [
            "--data", path("records"), "--port", "\(port)", "--certificate", path("certificates/server.pem"), "--key", path("certificates/server.key"),
        ]
        let program = try Program("sluice-records", ["serve"] + (arguments ?? usual), environment: environment)
        service = program
        let isUp = try await eventually { program.outputText.contains("listening on") || !program.isRunning }
        if mayDie, !program.isRunning { return }
        guard isUp, program.isRunning, let text = program.outputText.split(separator: ":").last,
            let number = Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
        else { throw Failure(text: "the service does not start: it is \(program.condition); \(program.outputText)\(program.errorText)") }
        port = number
    }

    func stopService(_ signal: Int32 = SIGTERM) async throws {
        service?.signal(signal)
        try await service?.waitForEnd()
        service = nil
    }

    // MARK: The coordinator

    /// Puts a new token where the account looks for one.
    func issueToken(for name: String, user: String = "ann", more: [String] = []) throws {
        let token = try expectSuccess("sluice-records", ["token", "issue", "--user", user, "--holder", name] + recordsArguments + more)
        tokens[name] = token.trimmingCharacters(in: .whitespacesAndNewlines)
        let file = path("config/credentials/\(name)")
        try Data(token.utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }

    /// Writes an account file. Accounts are devices of one user.
    /// - Parameter credentials: what stands below `credentials`; nil: a token, which is issued where there is none.
    func writeAccount(
        _ name: String, more: String = "", user: String = "ann", legacy: String? = nil, group: String = "", credentials: String? = nil,
        synced: String = "", url: String? = nil
    ) throws {
        if tokens[name] == nil { try issueToken(for: name, user: user) }
        let text = """
            service:
              url: \(url ?? "https://127.0.0.1:\(port)")
              container: \(Self.container)
              environment: development
              authoritiesFile: \(path("certificates/ca.pem"))
            credentials:
              \(credentials ?? "userTokenFile: \(path("config/credentials/\(name)"))")
            schema:
              path: \(path("config/schemas/shop"))
            synced:
              stateDirectory: \(path("state/\(name)"))
              \(synced)
            local:
              group: \(name)
              groupsDirectory: \(path("groups"))
            \(group)
            \(legacy.map { "legacy:\n  sources:\n    - path: \($0)" } ?? "")
            \(more)
            """
        try Data(text.utf8).write(to: URL(filePath: path("config/accounts.d/\(name).yaml")))
    }

    /// Starts the coordinator and waits until it has opened its accounts, or is gone.
    func startCoordinator(_ extra: [String] = [], environment: [String: String] = [:]) async throws {
        let socket = path("notify-\(UUID().uuidString.prefix(8))")
        let manager = try ManagerDouble(socket)
        let program = try Program("sluiced", ["--config", path("config")] + extra, environment: environment.merging(["NOTIFY_SOCKET": socket]) { $1 })
        coordinator = program
        let isReady = try await eventually { manager.messages.contains { $0.contains("READY=1") } || !program.isRunning }
        guard isReady else { throw Failure(text: "the coordinator does not become ready: \(program.errorText)") }
    }

    @discardableResult
    func stopCoordinator(_ signal: Int32 = SIGTERM, within seconds: Double = 30) async throws -> Int32? {
        coordinator?.signal(signal)
        let code = try await coordinator?.waitForEnd(within: seconds)
        coordinator = nil
        return code
    }

    // MARK: Looking

    func sluice(_ arguments: [String]) throws -> Program.Outcome {
        try Program.run("sluice", arguments + ["--config", path("config")])
    }

    /// Nil while no coordinator answers.
    func status(_ account: String, detailed: Bool = false) throws -> AccountStatus? {
        let outcome = try sluice(["status", "--account", account, "--json"] + (detailed ? ["--counts", "--digest"] : []))
        let status = try JSONDecoder().decode(AccountStatus.self, from: Data(outcome.output.utf8))
        return status.state == "stopped" ? nil : status
    }

    /// Waits until the account is in step, and returns its counts and digest.
    func settle(_ account: String) async throws -> AccountStatus {
        let isInStep = try await eventually(within: .seconds(60)) { try sluice(["sync", "--account", account]).code == 0 }
        guard isInStep, let status = try status(account, detailed: true) else {
            let state = try status(account).map { "\($0.state): \($0.reason ?? "")" } ?? "stopped"
            throw Failure(text: "\(account) does not come into step (\(state))\n\(coordinator?.errorText.suffix(3_000) ?? "")")
        }
        return status
    }

    func put(_ account: String, _ title: String, name: String? = nil) throws {
        let outcome = try sluice(["put", "Item", "title=\(title)", "--account", account] + (name.map { ["--name", $0] } ?? []))
        guard outcome.code == 0 else { throw Failure(text: "put: exit \(outcome.code): \(outcome.errors)") }
    }

    /// A client with the account's token, beside its coordinator.
    func client(_ account: String) throws -> RecordServiceClient {
        var http = HTTPClientConfiguration()
        http.extraAuthoritiesFile = path("certificates/ca.pem")
        let token = try #require(tokens[account])
        return RecordServiceClient(
            try HTTPClient(http),
            ServiceAddress(
                url: try #require(URL(string: "https://127.0.0.1:\(port)")), container: Self.container, environment: .development),
            userAgent: "test", credentials: { Credentials(apiToken: nil, userToken: token) })
    }

    /// Everything the service holds, as any client would fetch it.
    func serviceDigest(_ account: String) async throws -> (count: Int, text: String) {
        let client = try client(account)
        var digest = RecordDigest()
        var token_: String?
        while true {
            let page = try await client.changes(in: ZoneID("shop"), after: token_)
            for result in page.records {
                guard case .record(let record) = result, !record.isDeleted else { continue }
                try digest.add(name: record.recordName, type: record.recordType ?? "", fields: record.fields)
            }
            guard page.moreComing else { return (digest.count, digest.text) }
            token_ = page.syncToken
        }
    }

    /// Both accounts and the service hold the same records.
    func expectAgreement(_ accounts: [String], count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for account in accounts { _ = try await settle(account) }
        for account in accounts {
            let status = try await settle(account)
            let service = try await serviceDigest(account)
            #expect(status.digest == service.text, "\(account)", sourceLocation: sourceLocation)
            #expect(service.count == count, sourceLocation: sourceLocation)
            #expect(status.pending == 0 && status.setAsideCount == 0, sourceLocation: sourceLocation)
        }
    }

    /// Ends what runs and removes the folder.
    func remove() async {
        for program in [coordinator, service].compactMap({ $0 }) {
            program.signal(SIGKILL)
            do { try await program.waitForEnd() } catch { print("process \(program.identifier): \(error)") }
        }
        do { try FileManager.default.removeItem(at: folder) } catch { print("\(folder.path): \(error)") }
    }

    static func with(_ body: (Installation) async throws -> Void) async throws {
        let installation = try Installation()
        do { try await body(installation) } catch {
            print(installation.coordinator?.errorText.suffix(4_000) ?? "", installation.service?.errorText.suffix(2_000) ?? "")
            await installation.remove()
            throw error
        }
        await installation.remove()
    }
}

/// Asks again and again until the answer is yes; gives up after a time that no healthy run needs.
func eventually(within limit: Duration = .seconds(60), _ condition: () async throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + limit
    while ContinuousClock.now < end {
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(20))
    }
    return false
}
