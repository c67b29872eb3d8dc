import Foundation
import SluiceCoordinator
import SluiceFailpoints
import Testing

/// `kill -9` at every failpoint, in both processes. Afterwards the digests are equal, nothing is doubled and nothing that was acknowledged
/// is missing (I-1, I-2).
@Suite(.serialized, .timeLimit(.minutes(10))) struct CrashTests {
    /// Points that a coordinator passes while it pushes and pulls, each at its first hits and some way in.
    static let coordinatorPoints: [(Failpoint, Int)] = [
        (.committing, 1), (.committing, 4), (.committing, 9), (.committed, 1), (.committed, 5), (.committed, 12), (.renaming, 1), (.renamed, 1),
        (.sending, 1), (.sending, 3), (.sending, 5), (.answered, 1), (.answered, 3), (.answered, 5),
    ]

    @Test func `a coordinator killed at any failpoint loses nothing, doubles nothing and goes on at the next start`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            try installation.writeAccount("a")
            try installation.writeAccount("b")
            // Whatever a failpoint leaves time for, these are acknowledged, and killed with nothing sent for sure.
            try await installation.startCoordinator()
            for index in 0..<5 { try installation.put("a", "before \(index)") }
            try await installation.stopCoordinator(SIGKILL)
            var acknowledged = 5
            for (point, count) in Self.coordinatorPoints {
                for name in ["a", "b"] { unlink(installation.path("state/\(name)/in-flight")) }
                try await installation.startCoordinator(environment: ["SLUICE_FAILPOINT": "\(point.rawValue):\(count)"])
                // The coordinator may be gone at any of these; what answered is acknowledged.
                for index in 0..<4 {
                    guard installation.coordinator?.isRunning == true else { break }
                    let outcome = try installation.sluice(["put", "Item", "title=\(point.rawValue) \(count) \(index)", "--account", "a"])
                    if outcome.code == 0 { acknowledged += 1 }
                }
                _ = try installation.sluice(["sync", "--account", "a"])
                let died = try await eventually(within: .seconds(10)) { installation.coordinator?.isRunning == false }
                #expect(died, "\(point.rawValue) was not passed \(count) times")
                try await installation.stopCoordinator(SIGKILL)
            }
            // Three crashes in a row put an account on the ground; a person releases it.
            for name in ["a", "b"] { unlink(installation.path("state/\(name)/in-flight")) }
            try await installation.startCoordinator()
            let status = try await installation.settle("a")
            // A put whose answer was lost may or may not have happened; one that was answered has.
            #expect(status.entities["Item"] ?? 0 >= acknowledged)
            try await installation.expectAgreement(["a", "b"], count: status.entities["Item"] ?? 0)
        }
    }

    static let servicePoints: [(Failpoint, Int)] = [
        (.committing, 1), (.committing, 2), (.committing, 3), (.committed, 1), (.committed, 2), (.replying, 1), (.replying, 2),
    ]

    @Test func `a service killed at any failpoint answers the retry as if nothing had been`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            try installation.writeAccount("a")
            try await installation.startCoordinator()
            _ = try await installation.settle("a")
            var count = 0
            for (point, hit) in Self.servicePoints {
                try await installation.stopService()
                try await installation.startService(environment: ["SLUICE_FAILPOINT": "\(point.rawValue):\(hit)"], mayDie: true)
                for index in 0..<3 {
                    try installation.put("a", "\(point.rawValue) \(hit) \(index)")
                    count += 1
                }
                _ = try installation.sluice(["sync", "--account", "a"])
                let died = try await eventually(within: .seconds(10)) { installation.service?.isRunning == false }
                #expect(died, "\(point.rawValue) was not passed \(hit) times")
                try await installation.stopService(SIGKILL)
                try await installation.startService()
                _ = try await installation.settle("a")
            }
            try await installation.expectAgreement(["a"], count: count)
        }
    }

    @Test func `24 a batch that was applied and not answered is sent again under its id after a restart, and the edit made meanwhile arrives`()
        async throws
    {
        try await Installation.with { installation in
            try await installation.startService()
            try installation.writeAccount("a")
            try installation.writeAccount("b")
            try await installation.startCoordinator()
            for name in ["a", "b"] { _ = try await installation.settle(name) }
            try await installation.stopCoordinator()
            // The service applies the next batch and is gone before it answers; the coordinator is killed after it has sent.
            try await installation.stopService()
            // The first commit of a service is its own upkeep.
            try await installation.startService(environment: ["SLUICE_FAILPOINT": "replying:2"])
            try await installation.startCoordinator(["--account", "a"])
            try installation.put("a", "first", name: "r1")
            #expect(try await eventually { installation.service?.isRunning == false })
            try await installation.stopCoordinator(SIGKILL)
            try await installation.startService()
            try await installation.startCoordinator()
            try installation.put("a", "edited", name: "r1")
            try await installation.expectAgreement(["a", "b"], count: 1)
            let outcome = try installation.sluice(["get", "r1", "--account", "b"])
            #expect(outcome.output.contains("edited"))
        }
    }
}
