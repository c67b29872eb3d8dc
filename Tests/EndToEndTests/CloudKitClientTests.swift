import Foundation
import Testing

/// The real service over TLS, and a published client of the dialect that nobody here wrote.
@Suite(.timeLimit(.minutes(10))) struct CloudKitClientTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The interpreter of the environment with the client in it.
    /// - Throws: where it cannot be made, which takes the network once.
    static func python() throws -> String {
        let made = try Program.run("/bin/bash", [root.appending(path: "Deploy/cloudkit-client.sh").path], environment: ProcessInfo.processInfo.environment)
        guard made.code == 0 else { throw Installation.Failure(text: "the client of the dialect, pyicloud, cannot be had: \(made.errors)") }
        return made.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// A service that slows hasty tokens down, and the script against it.
    private func ask(_ script: String) async throws -> Program.Outcome {
        let python = try Self.python()
        var outcome = Program.Outcome(code: -1, output: "", errors: "not run")
        try await Installation.with { installation in
            let file = installation.path("service.yaml")
            let text = """
                listen:
                  port: 0
                  certificateFile: certificates/server.pem
                  keyFile: certificates/server.key
                dataDirectory: records
                rate:
                  requestsPerSecond: 1
                  burst: 300
                """
            try Data(text.utf8).write(to: URL(filePath: file))
            try await installation.startService(arguments: ["--config", file])
            for name in ["patient", "hasty"] { try installation.issueToken(for: name) }
            let scope = ["--data", installation.path("records"), "--container", Installation.container, "--environment", "development"]
            let apiToken = try installation.expectSuccess("sluice-records", ["token", "issue", "--api"] + scope)
            let base = "https://127.0.0.1:\(installation.port)/database/1/\(Installation.container)/development/private"
            outcome = try Program.run(
                python,
                [
                    Self.root.appending(path: "Tests/CloudKitClient/\(script)").path, base, installation.path("certificates/ca.pem"),
                    apiToken.trimmingCharacters(in: .whitespacesAndNewlines), installation.tokens["patient"] ?? "", installation.tokens["hasty"] ?? "",
                ])
            // Every answer is one of the dialect: none says that the service is at a loss.
            let log = installation.service?.errorText ?? ""
            #expect(!log.contains(" 500 ") && !log.contains("<3>"), "\(log.suffix(2_000))")
            for secret in installation.tokens.values { #expect(!log.contains(secret)) }
        }
        return outcome
    }

    @Test func `a published client makes zones, writes, looks up, follows both feeds, queries in pages and is told to wait`() async throws {
        let outcome = try await ask("client.py")
        #expect(outcome.code == 0 && outcome.output == "ok\n", "\(outcome.output)\n\(outcome.errors)")
    }
}
