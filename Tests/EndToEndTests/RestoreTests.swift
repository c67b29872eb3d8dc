import Foundation
import SluiceCoordinator
import SluiceRecords
import Testing

/// The service's database is replaced by an older copy, as after a restore from a backup.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RestoreTests {
    private func replaceRecords(_ installation: Installation, by copy: String) throws {
        try FileManager.default.removeItem(atPath: installation.path("records"))
        try copyRecords(copy, to: installation.path("records"))
    }

    /// As an operator would: a data directory has a pipe in it, which must not be read.
    private func copyRecords(_ source: String, to target: String) throws {
        let outcome = try Program.run("/usr/bin/env", ["cp", "-a", source, target])
        try #require(outcome.code == 0, "\(outcome)")
    }

    @Test func `an older copy that was written past its old head is noticed, and what it lost comes back without overwriting anything`()
        async throws
    {
        try await Installation.with { installation in
            try await installation.startService()
            for name in ["a", "b"] { try installation.writeAccount(name) }
            try await installation.startCoordinator()
            try installation.put("a", "one", name: "r1")
            try installation.put("a", "two", name: "r2")
            for name in ["a", "b"] { _ = try await installation.settle(name) }
            try await installation.stopService()
            let copy = installation.path("copy")
            try copyRecords(installation.path("records"), to: copy)
            try await installation.startService()
            try installation.put("a", "one edited", name: "r1")
            try installation.put("b", "three", name: "r3")
            #expect(try installation.sluice(["delete", "r2", "--account", "a"]).code == 0)
            for name in ["a", "b", "a"] { _ = try await installation.settle(name) }
            try await installation.stopCoordinator()
            try await installation.stopService()

            try replaceRecords(installation, by: copy)
            try await installation.startService()
            // Somebody else writes on, past the sequences that the lost commits had.
            let operations = (0..<8).map { index in
                RecordOperation(
                    .create, Record("other-\(index)", type: "Item", fields: ["title": Field(.string("other \(index)")), "count": Field(.int64(1))]))
            }
            let body = try ModifyRequest(operations: operations, zoneID: ZoneID("shop"), isAtomic: false).encoded()
            let answer = try await installation.client("a").modify(body, operation: UUID().uuidString)
            #expect(answer.records.allSatisfy { $0.error == nil })

            try await installation.startCoordinator()
            for name in ["a", "b"] { _ = try await installation.settle(name) }
            // r1 edited, r3 and the eight others; r2 stays deleted.
            try await installation.expectAgreement(["a", "b"], count: 10)
            #expect(try installation.sluice(["get", "r1", "--account", "b"]).output.contains("one edited"))
            #expect(try installation.sluice(["get", "r2", "--account", "b"]).code == 66)
        }
    }

    @Test func `an account that is put back to a backup comes into step with the others, once its coordinator has stopped`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            for name in ["a", "b"] { try installation.writeAccount(name) }
            try await installation.startCoordinator()
            for name in ["r1", "r2"] { try installation.put("a", "one", name: name) }
            for name in ["a", "b"] { _ = try await installation.settle(name) }
            let path = try installation.sluice(["backup", "--account", "a"]).output
            let backup = URL(filePath: path.trimmingCharacters(in: .newlines)).deletingLastPathComponent().lastPathComponent
            try installation.put("b", "one edited", name: "r1")
            try installation.put("a", "three", name: "r3")
            #expect(try installation.sluice(["delete", "r2", "--account", "a"]).code == 0)
            for name in ["a", "b", "a"] { _ = try await installation.settle(name) }
            let restore = ["restore", backup, "--account", "a", "--yes"]
            let refused = try installation.sluice(restore)
            #expect(refused.code == 75 && refused.errors.contains("process \(installation.coordinator?.identifier ?? 0)"), "\(refused)")

            try await installation.stopCoordinator()
            let restored = try installation.sluice(restore)
            #expect(restored.code == 0 && restored.output.contains("the next sync brings"), "\(restored)")
            try await installation.startCoordinator()
            for name in ["a", "b"] { _ = try await installation.settle(name) }
            try await installation.expectAgreement(["a", "b"], count: 2)
            #expect(try installation.sluice(["get", "r1", "--account", "a"]).output.contains("one edited"))
            #expect(try installation.sluice(["get", "r2", "--account", "a"]).code == 66)
            #expect(try installation.sluice(["doctor", "--account", "a"]).output.split(separator: "\n").allSatisfy { !$0.hasPrefix("a: ") })
        }
    }

    @Test func `a service that lost everything is filled again by its devices`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            for name in ["a", "b"] { try installation.writeAccount(name) }
            // The empty service still knows its users and tokens.
            try await installation.stopService()
            let copy = installation.path("copy")
            try copyRecords(installation.path("records"), to: copy)
            try await installation.startService()
            try await installation.startCoordinator()
            for index in 0..<20 { try installation.put("a", "item \(index)") }
            for name in ["a", "b"] { _ = try await installation.settle(name) }
            try await installation.stopService()
            try replaceRecords(installation, by: copy)
            try await installation.startService()
            for name in ["a", "b"] { _ = try installation.sluice(["sync", "--account", name]) }
            // The service never heard of the zone: it was lost, not deleted.
            try await installation.expectAgreement(["a", "b"], count: 20)
        }
    }
}
