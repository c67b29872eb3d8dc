import Foundation
import SluiceCoordinator
import Testing

/// An operator deletes a zone, and people say what is to become of it.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ZoneTests {
    @Test func `29 a deleted zone stops its accounts; a backup that is put back and sent again brings everything back on all devices`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            for name in ["a", "b"] { try installation.writeAccount(name) }
            try await installation.startCoordinator()
            for number in 1...5 { try installation.put("a", "item \(number)") }
            for name in ["a", "b"] { _ = try await installation.settle(name) }
            let path = try installation.sluice(["backup", "--account", "a"]).output
            let backup = URL(filePath: path.trimmingCharacters(in: .newlines)).deletingLastPathComponent().lastPathComponent
            #expect(try installation.sluice(["pause", "--account", "b"]).code == 0)
            try installation.put("b", "unsent")
            _ = try installation.expectSuccess(
                "sluice-records",
                ["zone", "delete", "shop", "--user", "ann", "--container", Installation.container, "--environment", "development", "--data", installation.path("records")])
            #expect(try installation.sluice(["sync", "--account", "a"]).code == 69)
            let status = try await installation.expectState("blocked", of: "a", pending: 0)
            #expect(status.reason?.contains("deleted") == true && status.advice?.contains("sluice zone recreate") == true)
            #expect(try await installation.names("Item", of: "a").isEmpty)

            // One that is put back waits for a person, and its rows are sent again by their word.
            try await installation.stopCoordinator()
            #expect(try installation.sluice(["restore", backup, "--account", "a", "--yes"]).code == 0)
            try await installation.startCoordinator()
            try await installation.expectState("blocked", of: "a")
            #expect(try await installation.names("Item", of: "a").count == 5)
            #expect(try installation.sluice(["zone", "recreate", "--account", "a"]).code == 0)
            #expect(try installation.sluice(["resume", "--account", "b"]).code == 0)
            for name in ["a", "b", "a"] { _ = try await installation.settle(name) }
            try await installation.expectAgreement(["a", "b"], count: 6)
        }
    }

    @Test func `what a deleted zone left unsent is given up by name only, and not where the zone is there`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            try installation.writeAccount("a")
            try await installation.startCoordinator()
            _ = try await installation.settle("a")
            #expect(try installation.sluice(["zone", "forget", "--account", "a"]).code == 64)
            let refused = try installation.sluice(["zone", "forget", "--account", "a", "--yes"])
            #expect(refused.code == 65 && refused.errors.contains("was not deleted"), "\(refused)")
            #expect(try installation.sluice(["pause", "--account", "a"]).code == 0)
            try installation.put("a", "unsent")
            _ = try installation.expectSuccess(
                "sluice-records",
                ["zone", "delete", "shop", "--user", "ann", "--container", Installation.container, "--environment", "development", "--data", installation.path("records")])
            #expect(try installation.sluice(["resume", "--account", "a"]).code == 0)
            try await installation.expectState("blocked", of: "a", pending: 1)
            let forgotten = try installation.sluice(["zone", "forget", "--account", "a", "--yes"])
            #expect(forgotten.code == 0 && forgotten.output == "a: idle\n", "\(forgotten)")
            try await installation.expectAgreement(["a"], count: 0)
        }
    }
}
