import Foundation
import SluiceCoordinator
import Testing

/// Accounts without a user token: a server-to-server key signs their requests.
@Suite(.timeLimit(.minutes(10))) struct ServerKeyAccountTests {
    @Test func `an account whose key the service knows syncs with its user's other devices, until the key is revoked`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            let file = installation.path("config/credentials/machine.pem")
            _ = try installation.expectSuccess(
                "sluice-records", ["key", "create", "--user", "ann", "--holder", "machine", "--out", file] + installation.recordsArguments)
            try installation.writeAccount("laptop")
            try installation.writeAccount("machine", credentials: "serverKeyFile: \(file)")
            try await installation.startCoordinator()
            try installation.put("machine", "from the machine")
            _ = try await installation.settle("machine")
            try installation.put("laptop", "from the laptop")
            try await installation.expectAgreement(["laptop", "machine"], count: 2)
            let list = try installation.expectSuccess("sluice-records", ["key", "list", "--json", "--data", installation.path("records")])
            let number = try #require(list.firstMatch(of: /"id":([0-9]+)/)).1
            _ = try installation.expectSuccess("sluice-records", ["key", "revoke", String(number), "--data", installation.path("records")])
            let outcome = try installation.sluice(["sync", "--account", "machine"])
            #expect(outcome.code == 69)
            #expect(try installation.status("machine")?.state == "blocked")
            #expect(try installation.sluice(["sync", "--account", "laptop"]).code == 0)
            // What is signed, and with what, is in nobody's log.
            let secret = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")[1]
            for text in [installation.service?.errorText, installation.coordinator?.errorText] { #expect(text?.contains(secret) == false) }
        }
    }
}
