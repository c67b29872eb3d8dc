import Foundation
import SluiceCoordinator
import Testing

/// A store that cannot be used: said clearly, touched by nobody, and a matter of one account alone.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DamageTests {
    @Test(arguments: [0, 4_096])
    func `a store whose pages were overwritten is shown and kept, and the other accounts go on`(from offset: UInt64) async throws {
        try await Installation.with { installation in
            try await installation.startService()
            for name in ["a", "b"] { try installation.writeAccount(name) }
            try await installation.startCoordinator()
            for index in 0..<5 { try installation.put("a", "\(index)") }
            try await installation.expectAgreement(["a", "b"], count: 5)
            try await installation.stopCoordinator()
            let store = installation.path("state/a/Private.store")
            let file = try FileHandle(forUpdating: URL(filePath: store))
            let length = try file.seekToEnd() - offset
            try file.seek(toOffset: offset)
            try file.write(contentsOf: Data(repeating: 0xA5, count: Int(length)))
            try file.close()
            let damaged = try Data(contentsOf: URL(filePath: store))
            try await installation.startCoordinator()
            // However often it is tried: a refusal is no crash, and ends in no quarantine.
            for _ in 0..<5 { #expect(try installation.sluice(["sync", "--account", "a"]).code == 69) }
            let status = try await installation.expectState("blocked", of: "a")
            #expect(status.reason?.contains("damaged") == true)
            #expect(try Data(contentsOf: URL(filePath: store)) == damaged)
            try installation.put("b", "another")
            try await installation.expectAgreement(["b"], count: 6)
            // What the status advises: the store is moved away and everything comes from the service.
            try await installation.stopCoordinator()
            try FileManager.default.moveItem(atPath: installation.path("state/a"), toPath: installation.path("damaged"))
            try await installation.startCoordinator()
            try await installation.expectAgreement(["a", "b"], count: 6)
        }
    }

    @Test func `a schema that is not the store's is refused by entity and property, and the store stays as it is`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            try installation.writeAccount("a")
            try await installation.startCoordinator()
            try installation.put("a", "one")
            try await installation.expectAgreement(["a"], count: 1)
            try await installation.stopCoordinator()
            let store = URL(filePath: installation.path("state/a/Private.store"))
            let before = try Data(contentsOf: store)
            let schema = URL(filePath: installation.path("config/schemas/shop/1.0.0.yaml"))
            try Data(Installation.schema.replacing("price: double?", with: "colour: string?").utf8).write(to: schema)
            try await installation.startCoordinator()
            let status = try await installation.expectState("blocked", of: "a")
            #expect(status.reason?.contains("Item") == true && status.reason?.contains("colour") == true)
            #expect(try installation.sluice(["put", "Item", "title=two", "--account", "a"]).code == 69)
            #expect(try Data(contentsOf: store) == before)
            try Data(Installation.schema.utf8).write(to: schema)
            installation.reload()
            try await installation.expectState("idle", of: "a")
            try await installation.expectAgreement(["a"], count: 1)
        }
    }

    @Test func `after three crashes in a row an account is quarantined, alone, until it is released as the status says`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            for name in ["a", "b"] { try installation.writeAccount(name) }
            for _ in 0..<3 {
                let program = try Program(
                    "sluiced", ["--config", installation.path("config"), "--account", "a"], environment: ["SLUICE_FAILPOINT": "sending:1"])
                #expect(try await program.waitForEnd() == -SIGKILL)
            }
            try await installation.startCoordinator()
            let status = try await installation.expectState("quarantined", of: "a")
            _ = try await installation.settle("b")
            #expect(try installation.sluice(["sync", "--account", "a"]).code == 69)
            let advice = try #require(status.reason?.firstMatch(of: /`sluice ([^`]+)`/)?.1)
            let released = try installation.sluice(advice.split(separator: " ").map(String.init))
            #expect(released.code == 0, "\(released.errors)")
            try installation.put("a", "one")
            try await installation.expectAgreement(["a", "b"], count: 1)
            try await installation.stopCoordinator()
            try await installation.startCoordinator()
            _ = try await installation.settle("a")
        }
    }

    @Test func `a full disk refuses a put in so many words, loses nothing, and is forgotten when there is space again`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            try installation.writeAccount("a")
            try FileManager.default.createDirectory(atPath: installation.path("state/a"), withIntermediateDirectories: true)
            let isMounted = try await installation.mounting(["-t", "tmpfs", "-o", "size=3m", "tmpfs"], at: installation.path("state/a")) {
                try await installation.startCoordinator()
                try installation.put("a", "before")
                _ = try await installation.settle("a")
                let ballast = try await Self.fill(installation.path("state/a/ballast"))
                var acknowledged = 1
                let refusal = try await Self.putUntilRefused(installation, &acknowledged)
                #expect(refusal.code == 74)
                #expect(refusal.errors.contains("full"))
                let status = try await installation.expectState("waiting", of: "a")
                #expect(status.reason?.contains("cannot be written") == true)
                // A crash on the full disk, and a start on it.
                try await installation.stopCoordinator(SIGKILL)
                try await installation.startCoordinator()
                #expect(try installation.sluice(["status", "--account", "a"]).code != 0)
                try FileManager.default.removeItem(atPath: ballast)
                try await installation.expectState("idle", of: "a", pending: 0)
                try await installation.expectAgreement(["a"], count: acknowledged)
                try await installation.stopCoordinator()
            }
            if !isMounted { print("a small file system cannot be mounted here: not tested") }
        }
    }

    @Test func `a group container on a full disk falls behind, is shown, and catches up without any further write`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            try installation.writeAccount("a")
            let groups = installation.path("groups")
            try FileManager.default.createDirectory(atPath: groups, withIntermediateDirectories: true)
            let isMounted = try await installation.mounting(["-t", "tmpfs", "-o", "size=2m,mode=755", "tmpfs"], at: groups) {
                try await installation.startCoordinator()
                _ = try await installation.settle("a")
                let ballast = try await Self.fill(groups + "/ballast")
                var count = 0
                while try installation.status("a")?.groupProblem == nil, count < 100 {
                    try installation.put("a", String(repeating: "x", count: 50_000))
                    count += 1
                }
                let status = try await installation.settle("a")
                #expect(status.groupProblem?.contains("full") == true, "\(status)")
                func seen() throws -> String {
                    try Program.run("sluice-glance", ["count", "Item", "--groups-dir", groups, "--group", "a"]).output
                }
                #expect(try seen() != "\(count)\n")
                try FileManager.default.removeItem(atPath: ballast)
                #expect(try await eventually { try seen() == "\(count)\n" })
                #expect(try await eventually { try installation.status("a")?.groupProblem == nil })
                try await installation.stopCoordinator()
            }
            if !isMounted { print("a small file system cannot be mounted here: not tested") }
        }
    }

    private static func fill(_ path: String) async throws -> String {
        try Data().write(to: URL(filePath: path))
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        defer { do { try file.close() } catch { print("\(path): \(error)") } }
        var size = 65_536
        while size > 0 {
            do { try file.write(contentsOf: Data(count: size)) } catch { size /= 2 }
        }
        return path
    }

    /// The log may have room for some more.
    private static func putUntilRefused(_ installation: Installation, _ acknowledged: inout Int) async throws -> Program.Outcome {
        for index in 0..<500 {
            let title = String(repeating: "x", count: 20_000)
            let outcome = try installation.sluice(["put", "Item", "title=\(title) \(index)", "--account", "a"])
            guard outcome.code == 0 else { return outcome }
            acknowledged += 1
        }
        throw Installation.Failure(text: "a full disk takes everything")
    }
}
