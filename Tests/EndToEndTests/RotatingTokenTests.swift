import Foundation
import Glibc
import SluiceCoordinator
import SluiceRecords
import SluiceSync
import Testing

/// Accounts whose user token gives way to another with each answer.
@Suite(.timeLimit(.minutes(10))) struct RotatingTokenTests {
    @Test func `a coordinator with a strict token syncs, and goes on after a kill between an answer and the next request`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            try installation.issueToken(for: "a", more: ["--rotation", "strict"])
            // Synced values are an account of their own, with the same token.
            try installation.writeAccount("a", synced: "keyValues: true")
            try installation.writeAccount("b")
            try await installation.startCoordinator()
            for number in 0..<3 { try installation.put("a", "before \(number)") }
            _ = try await installation.settle("a")
            let token = { String(decoding: FileManager.default.contents(atPath: installation.path("state/a/token")) ?? Data(), as: UTF8.self) }
            let kept = token()
            #expect(kept.split(separator: "\n").count == 2)
            // What a person put there is used up, and says where to get another.
            await #expect(throws: RequestFailure.self) { _ = try await installation.client("a").lookup([], in: ZoneID("shop")) }
            for failpoint in ["answered:1", "answered:2", "answered:3", "sending:2", "sending:4"] {
                try await installation.stopCoordinator()
                try await installation.startCoordinator(["--account", "a"], environment: ["SLUICE_FAILPOINT": failpoint])
                try await installation.coordinator?.waitForEnd()
                #expect(installation.coordinator?.isRunning == false)
                try await installation.startCoordinator()
                try installation.put("a", failpoint)
                _ = try await installation.settle("a")
            }
            #expect(token() != kept)
            let (a, b) = (try await installation.settle("a"), try await installation.settle("b"))
            #expect(a.digest == b.digest && a.pending == 0)
            #expect(try await installation.serviceDigest("b").count == 8)
            // Apart from the one above, no request came with a token that was used up: they go one at a time.
            #expect(installation.service?.errorText.components(separatedBy: " 421 ").count == 2)
            for text in [installation.service?.errorText, installation.coordinator?.errorText] { #expect(text?.contains("slu1_") == false) }
        }
    }
}
