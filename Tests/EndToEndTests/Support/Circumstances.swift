import Foundation
import SluiceCoordinator
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
