import Foundation
import SluiceCoordinator
import Testing

/// Account files come, go, change and break while the coordinator runs.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ReloadTests {
    @Test func `SIGHUP starts new accounts, ends removed ones, and starts changed ones anew`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            for name in ["changed", "removed", "kept"] { try installation.writeAccount(name) }
            try await installation.startCoordinator()
            for name in ["changed", "removed", "kept"] { _ = try await installation.settle(name) }
            try installation.writeAccount("new")
            try FileManager.default.removeItem(atPath: installation.path("config/accounts.d/removed.yaml"))
            try installation.editAccount("changed") { $0.replacing("group: changed", with: "group: elsewhere") }
            installation.reload()
            _ = try await eventually { FileManager.default.fileExists(atPath: installation.path("groups/elsewhere/defaults.json")) }
            try installation.put("kept", "one")
            try await installation.expectAgreement(["changed", "kept", "new"], count: 1)
            #expect(FileManager.default.fileExists(atPath: installation.path("groups/elsewhere/defaults.json")))
            let client = try installation.control("removed")
            await #expect(throws: ControlFailure.self) { let _: AccountStatus = try await client.get("/v1/status") }
            // Its rows stay: nobody said that they may go.
            #expect(FileManager.default.fileExists(atPath: installation.path("state/removed/Private.store")))
        }
    }

    @Test func `a broken account file stops none of the others, neither at start nor while they run`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            try installation.writeAccount("a")
            try installation.writeAccount("broken")
            try installation.editAccount("broken") { $0.replacing("credentials:", with: "\tcredentials:") }
            try await installation.startCoordinator()
            _ = try await installation.settle("a")
            #expect(installation.coordinator?.errorText.contains("broken.yaml:") == true)
            try installation.writeAccount("broken")
            installation.reload()
            _ = try await installation.settle("broken")
            // A file that is broken while its account runs is no reason to stop it.
            let mark = installation.coordinator?.errorText.count ?? 0
            try installation.editAccount("broken") { _ in "service: [" }
            installation.reload()
            #expect(try await eventually { installation.coordinator?.errorText.dropFirst(mark).contains("broken.yaml:") == true })
            let status: AccountStatus = try await installation.control("broken").get("/v1/status")
            #expect(status.state == "idle")
            try installation.put("a", "one")
            #expect(try await eventually {
                let status: AccountStatus = try await installation.control("broken").get("/v1/status?counts=1")
                return status.entities["Item"] == 1
            })
        }
    }
}
