import CloudKitDouble
import Foundation
import SluiceCoordinator
import SluiceHTTPServer
import Testing

/// The coordinator as a process, and CloudKit's double over TLS as the other end.
@Suite(.serialized, .timeLimit(.minutes(10))) struct CloudKitProcessTests {
    private static let user = "_ann"

    /// Accounts are devices of one user, each with a token of its own.
    private static func writeAccounts(_ names: [String], _ installation: Installation, _ cloud: CloudKitDouble) throws {
        func write(_ secret: String, to name: String) throws {
            let path = installation.path("config/credentials/\(name)")
            try Data(secret.utf8).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        try write(CloudKitDouble.apiToken, to: "api")
        for name in names {
            try installation.writeAccount(name)
            try write(cloud.signIn(user), to: name)
            try installation.editAccount(name) {
                $0.replacing("127.0.0.1:\(installation.port)", with: "127.0.0.1:\(cloud.port)")
                    .replacing("credentials:\n", with: "credentials:\n  apiTokenFile: \(installation.path("config/credentials/api"))\n")
            }
        }
    }

    @Test func `a coordinator that is killed while CloudKit's answers get lost brings two devices into step, every record once`() async throws {
        try await Installation.with { installation in
            func text(_ name: String) throws -> String { try String(contentsOfFile: installation.path("certificates/\(name)"), encoding: .utf8) }
            let cloud = try CloudKitDouble.start(tls: TLSIdentity(certificate: try text("server.pem"), privateKey: try text("server.key")))
            do { try await Self.contend(installation, cloud) } catch {
                await cloud.stop()
                throw error
            }
            #expect(cloud.complaints.isEmpty, "\(cloud.complaints.prefix(5))")
            await cloud.stop()
        }
    }

    private static func contend(_ installation: Installation, _ cloud: CloudKitDouble) async throws {
        let names = ["a", "b"]
        try writeAccounts(names, installation, cloud)
        try await installation.startCoordinator()
        for name in names { _ = try await installation.settle(name) }
        for round in 0..<3 {
            cloud.script(Fault("records/modify", .loseAnswer))
            for name in names { try installation.put(name, "\(name) \(round)", name: "\(name)\(round)") }
            let isLost = try await eventually { cloud.isScriptOver }
            #expect(isLost)
            try await installation.stopCoordinator(SIGKILL)
            for name in names { unlink(installation.path("state/\(name)/in-flight")) }
            try await installation.startCoordinator()
        }
        try installation.put("a", "edited", name: "b0")
        var digests: Set<String?> = []
        let isInStep = try await eventually {
            digests = []
            for name in names { digests.insert(try await installation.settle(name).digest) }
            return digests.count == 1
        }
        #expect(isInStep)
        let records = cloud.records(of: user, in: "shop") ?? [:]
        #expect(records.keys.sorted() == ["a0", "a1", "a2", "b0", "b1", "b2"])
        for name in records.keys { #expect(cloud.creationCount(of: name, user: user, in: "shop") == 1, "\(name)") }
        #expect(try installation.sluice(["get", "b0", "--account", "b"]).output.contains("edited"))
    }
}
