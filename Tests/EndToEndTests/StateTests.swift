import Foundation
import SluiceCoordinator
import SluiceSchema
import Testing

/// Whatever stands in the way: `sluice status` says so, nothing is lost, and sync goes on by itself or when a person has done what the
/// status advises.
@Suite(.serialized, .timeLimit(.minutes(10))) struct StateTests {
    @Test func `R8 a change made while the service is away is delivered when it is back, without any further write`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            try installation.writeAccount("a")
            try await installation.startCoordinator()
            _ = try await installation.settle("a")
            try await installation.stopService()
            try installation.put("a", "made meanwhile")
            let status = try await installation.expectState("waiting", of: "a", pending: 1)
            #expect(status.reason?.contains("cannot be reached") == true)
            #expect(status.until != nil)
            try await installation.startService()
            try await installation.expectState("idle", of: "a", pending: 0)
            #expect(try await installation.serviceDigest("a").count == 1)
        }
    }

    @Test func `an account that only listens notices that the service went away and that it is back`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            for name in ["a", "b"] { try installation.writeAccount(name) }
            try await installation.startCoordinator()
            for name in ["a", "b"] { _ = try await installation.settle(name) }
            try await installation.stopService()
            try await installation.expectState("waiting", of: "b")
            try await installation.startService()
            try await installation.expectState("idle", of: "b")
            try installation.put("a", "news")
            // Nobody asks b to look: it waits at the service again.
            let isThere = try await eventually { try installation.status("b", detailed: true)?.entities["Item"] == 1 }
            #expect(isThere)
        }
    }

    @Test func `a revoked token blocks with advice; a new one helps on sync and on SIGHUP`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            try installation.writeAccount("a")
            try await installation.startCoordinator()
            _ = try await installation.settle("a")
            for (count, wayOut) in ["sync", "SIGHUP"].enumerated() {
                try installation.revokeToken(of: "a")
                try installation.put("a", "before \(wayOut)")
                let status = try await installation.expectState("blocked", of: "a", pending: 1)
                #expect(status.reason?.contains("revoked") == true)
                #expect(status.advice?.contains("new token") == true)
                #expect(try installation.sluice(["sync", "--account", "a"]).code == 69)
                try installation.issueToken(for: "a")
                if wayOut == "sync" { #expect(try installation.sluice(["sync", "--account", "a"]).code == 0) } else { installation.reload() }
                try await installation.expectState("idle", of: "a", pending: 0)
                #expect(try await installation.serviceDigest("a").count == count + 1)
            }
        }
    }

    @Test func `a full quota makes the account wait, never say that it is in step, and go on by itself when it is raised`() async throws {
        try await Installation.with { installation in
            try await installation.startService(quota: "1MiB")
            try installation.writeAccount("a")
            try await installation.startCoordinator()
            _ = try await installation.settle("a")
            let value = Data(repeating: 0x5A, count: 400_000).base64EncodedString()
            for index in 0..<3 {
                let _: PutResponse = try await installation.control("a").post(
                    "/v1/put", PutRequest(entity: "Item", properties: ["title": .string("\(index)"), "data": .string(value)]))
            }
            let status = try await installation.expectState("waiting", of: "a")
            #expect(status.reason?.contains("quota") == true)
            // A push that is tried again ends in the same state, never in "in step".
            for _ in 0..<3 { #expect(try installation.sluice(["sync", "--account", "a"]).code == 75) }
            let held = try await installation.serviceDigest("a").count
            #expect(held > 0 && held < 3)
            try await installation.stopService()
            try await installation.startService(quota: "1GiB")
            try await installation.expectState("idle", of: "a", pending: 0, within: .seconds(45))
            #expect(try await installation.serviceDigest("a").count == 3)
        }
    }

    @Test func `a certificate of an unknown authority blocks before anything is sent`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            try installation.expectSuccess("sluice-records", ["dev-cert", "--out", installation.path("others"), "localhost"])
            try installation.writeAccount("a")
            try installation.editAccount("a") { $0.replacing("certificates/ca.pem", with: "others/ca.pem") }
            try await installation.startCoordinator()
            let status = try await installation.expectState("blocked", of: "a")
            #expect(status.reason?.contains("certificate") == true)
            #expect(status.advice?.contains("CA") == true)
            try installation.put("a", "kept")
            try await installation.expectState("blocked", of: "a", pending: 1)
            #expect(installation.requestCount == 0)
            try installation.editAccount("a") { $0.replacing("others/ca.pem", with: "certificates/ca.pem") }
            installation.reload()
            try await installation.expectState("idle", of: "a", pending: 0)
        }
    }

    @Test func `a second coordinator of an account is told who holds it, and exits with 78`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            try installation.writeAccount("a")
            try await installation.startCoordinator()
            let holder = try #require(installation.coordinator?.identifier)
            let second = try Program.run("sluiced", ["--config", installation.path("config"), "--account", "a"])
            #expect(second.code == 78)
            #expect(second.errors.contains("process \(holder)"))
            try installation.put("a", "still at work")
            try await installation.expectAgreement(["a"], count: 1)
        }
    }

    @Test func `the service manager hears that the coordinator is ready and that it stops`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            try installation.writeAccount("a")
            let manager = try ManagerDouble(installation.path("manager"))
            let program = try Program(
                "sluiced", ["--config", installation.path("config")], environment: ["NOTIFY_SOCKET": installation.path("manager")])
            #expect(try await eventually { manager.messages.contains("READY=1") })
            #expect(!manager.messages.contains("STOPPING=1"))
            program.signal(SIGTERM)
            #expect(try await eventually { manager.messages.contains("STOPPING=1") })
            #expect(try await program.waitForEnd(within: 5) == 0)
        }
    }
}
