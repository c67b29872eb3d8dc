import Foundation
import SluiceCoordinator
import SluiceRecordService
import SluiceRecords
import Testing

/// Many accounts of one coordinator, each of a user of its own, at one service.
extension Installation {
    /// Writes the files of so many accounts, named `n0` and so on. The service must not run: its storage is filled directly, since a thousand
    /// calls of a program would take longer than the test.
    func writeCrowd(_ count: Int) async throws {
        let storage = try SQLiteRecordStorage.open(path: path("records/records.sqlite"))
        var random = SystemRandomNumberGenerator()
        for index in 0..<count {
            let token = AccessToken.user(&random)
            try await storage.addToken(
                NewToken(.user(name: "user\(index)", holder: "device"), digest: token.digest, container: Self.container, environment: .development))
            try writeToken(token.text, for: "n\(index)")
        }
        await storage.close()
    }

    /// Replaces what an account comes in with.
    func writeToken(_ text: String, for name: String) throws {
        let file = path("config/credentials/\(name)")
        try Data(text.utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }

    /// Writes the account file of one of the crowd.
    func writeMember(_ name: String, port: Int? = nil) throws {
        let text = """
            service:
              url: https://127.0.0.1:\(port ?? self.port)
              container: \(Self.container)
              environment: development
              authoritiesFile: \(path("certificates/ca.pem"))
            credentials:
              userTokenFile: \(path("config/credentials/\(name)"))
            schema:
              path: \(path("config/schemas/shop"))
            synced:
              stateDirectory: \(path("state/\(name)"))
            local:
              group: \(name)
              groupsDirectory: \(path("groups"))
            """
        try Data(text.utf8).write(to: URL(filePath: path("config/accounts.d/\(name).yaml")))
    }

    /// Starts a service that takes so many connections; after the first time on the same port.
    func startService(connections: Int) async throws {
        let file = path("records.yaml")
        let text = """
            listen: {address: 127.0.0.1, port: \(port), certificateFile: certificates/server.pem, keyFile: certificates/server.key}
            dataDirectory: \(path("records"))
            limits: {connections: \(connections)}
            """
        try Data(text.utf8).write(to: URL(filePath: file))
        try await startService(arguments: ["--config", file])
    }
}

/// What a process costs the machine, by /proc.
struct ProcessCost: CustomStringConvertible {
    let threads: Int
    let descriptors: Int
    /// Resident, in KiB.
    let memory: Int

    init(of program: Program) throws {
        let folder = "/proc/\(program.identifier)"
        let lines = try String(contentsOfFile: "\(folder)/status", encoding: .utf8).split(separator: "\n")
        func number(_ key: String) -> Int {
            lines.first { $0.hasPrefix(key) }?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
        }
        threads = number("Threads:")
        memory = number("VmRSS:")
        descriptors = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd").count
    }

    var description: String { "\(threads) threads, \(descriptors) descriptors, \(memory / 1_024) MiB" }
}
