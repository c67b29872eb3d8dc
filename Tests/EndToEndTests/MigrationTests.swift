import Foundation
import SluiceCoordinator
import SluiceFailpoints
import SluiceReader
import SluiceSchema
import SluiceStore
import Testing

/// Coordinators whose schema folder has got a newer version: real processes, kills, helpers that read meanwhile.
@Suite(.serialized, .timeLimit(.minutes(10))) struct MigrationTests {
    /// A property comes and is filled by code. The stage takes as long as counting as many copies of the table beside each other, for each row.
    private static func two(joining copies: Int = 1) -> String {
        let tables = (0..<copies).map { "Item AS t\($0)" }.joined(separator: ", ")
        return Installation.schema.replacing("1.0.0", with: "2.0.0").replacing("data: data?", with: "data: data?\n      shelf: string?") + """

            migration:
              after:
                - entity: Item
                  set:
                    shelf: "'S' || (SELECT count(*) > 0 FROM \(tables))"
            """
    }

    /// A property is renamed, another goes.
    private static let three = Installation.schema.replacing("1.0.0", with: "3.0.0")
        .replacing("    title: string\n      price", with: "    name: {type: string, wireName: title}\n      price")
        .replacing("data: data?", with: "shelf: string?") + """

        migration:
          discard: [Item.data]
        """

    private func release(_ version: String, _ text: String, in installation: Installation) throws {
        try Data(text.utf8).write(to: URL(filePath: installation.path("config/schemas/shop/\(version).yaml")))
    }

    private func schemaVersion(_ account: String, in installation: Installation) throws -> SchemaVersion? {
        try Store.schema(at: installation.path("state/\(account)/Private.store"))?.version
    }

    @Test func `a coordinator killed at any point of a migration has the old store or the new one, and goes on at the next start`() async throws {
        let points: [(Failpoint, Int)] = [
            (.migrationBegun, 1), (.migrationStepped, 1), (.migrationStepped, 2), (.committing, 1), (.committing, 2), (.committed, 1), (.committed, 2),
            (.renaming, 1), (.renamed, 2),
        ]
        try await Installation.with { installation in
            try await installation.startService()
            for index in points.indices { try installation.writeAccount("a\(index)") }
            try await installation.startCoordinator()
            for index in points.indices { try installation.put("a\(index)", "item \(index)") }
            try await installation.expectAgreement(points.indices.map { "a\($0)" }, count: points.count)
            try await installation.stopCoordinator()
            try release("2.0.0", Self.two(), in: installation)
            try release("3.0.0", Self.three, in: installation)
            for (index, (point, count)) in points.enumerated() {
                let name = "a\(index)"
                let program = try Program(
                    "sluiced", ["--config", installation.path("config"), "--account", name],
                    environment: ["SLUICE_FAILPOINT": "\(point.rawValue):\(count)"])
                #expect(try await program.waitForEnd() == -SIGKILL, "\(point.rawValue) \(count): \(program.errorText)")
                let version = try schemaVersion(name, in: installation)
                #expect(version == SchemaVersion(1, 0, 0) || version == SchemaVersion(3, 0, 0), "\(point.rawValue) \(count)")
            }
            try await installation.startCoordinator()
            for index in points.indices {
                _ = try await installation.settle("a\(index)")
                #expect(try schemaVersion("a\(index)", in: installation) == SchemaVersion(3, 0, 0))
            }
            var digests: Set<String?> = []
            for index in points.indices {
                let status = try await installation.settle("a\(index)")
                #expect(status.entities["Item"] == points.count && status.pending == 0)
                digests.insert(status.digest)
            }
            #expect(digests.count == 1)
            let shelves = try installation.sluice(["query", "Item", "--where", "shelf == 'S1'", "--count", "--account", "a0"])
            #expect(shelves.output.contains("\(points.count)"), "\(shelves)")
        }
    }

    @Test func `a coordinator killed at five random moments of a long stage migrates in the end, once`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            try installation.writeAccount("a")
            try await installation.startCoordinator()
            for index in 0..<10 { try installation.put("a", "item \(index)") }
            try await installation.expectAgreement(["a"], count: 10)
            try await installation.stopCoordinator()
            try release("2.0.0", Self.two(joining: 7), in: installation)
            let seed = ProcessInfo.processInfo.environment["SLUICE_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 1...1_000_000)
            print("seed \(seed)")
            var state = seed
            for _ in 0..<5 {
                unlink(installation.path("state/a/in-flight"))
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                try await installation.startCoordinator()
                try await Task.sleep(for: .milliseconds(Int(state >> 33) % 1_500))
                try await installation.stopCoordinator(SIGKILL)
            }
            unlink(installation.path("state/a/in-flight"))
            try await installation.startCoordinator()
            let status = try await installation.settle("a")
            #expect(status.state == "idle" && status.entities["Item"] == 10)
            #expect(try schemaVersion("a", in: installation) == SchemaVersion(2, 0, 0))
            let shelves = try installation.sluice(["query", "Item", "--where", "shelf == 'S1'", "--count", "--account", "a"])
            #expect(shelves.output.contains("10"))
        }
    }

    @Test func `06 a migration waits for no helper: one that reads on sees what was there, and edits made meanwhile are kept`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            try installation.writeAccount("a")
            try await installation.startCoordinator()
            for index in 0..<50 { try installation.put("a", "item \(index)") }
            try await installation.expectAgreement(["a"], count: 50)
            try await installation.stopCoordinator()
            try release("2.0.0", Self.two(joining: 3), in: installation)
            let container = GroupContainer(directory: installation.path("groups/a"))
            let old = try container.read { snapshot in
                let before = try snapshot.count(of: "Item")
                // The helper is in the middle of its read all the while.
                let program = try Program("sluiced", ["--config", installation.path("config")])
                let late = try Program("sluice", ["put", "Item", "title=late", "--account", "a", "--config", installation.path("config")])
                let deadline = ContinuousClock.now + .seconds(60)
                while try schemaVersion("a", in: installation) != SchemaVersion(2, 0, 0), ContinuousClock.now < deadline { usleep(20_000) }
                #expect(try schemaVersion("a", in: installation) == SchemaVersion(2, 0, 0))
                return (before, try snapshot.count(of: "Item"), snapshot.schema.version, program, late)
            }
            #expect(old.0 == 50 && old.1 == 50 && old.2 == SchemaVersion(1, 0, 0))
            let lateCode = try await old.4.waitForEnd()
            // It came before there was anybody to ask, or it was done.
            #expect(lateCode == 0 || lateCode == 69)
            if lateCode != 0 { try installation.put("a", "late") }
            #expect(try await eventually { try container.read { $0.schema.version == SchemaVersion(2, 0, 0) } })
            #expect(try await installation.settle("a").entities["Item"] == 51)
            old.3.signal(SIGTERM)
            #expect(try await old.3.waitForEnd() == 0)
        }
    }

    @Test func `07 a helper built for the next version is told to wait for the migration, writes nothing, and reads after it`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            try installation.writeAccount("a")
            try await installation.startCoordinator()
            for index in 0..<3 { try installation.put("a", "item \(index)") }
            try await installation.expectAgreement(["a"], count: 3)
            try await installation.stopCoordinator()
            let arguments = [
                "count", "Item", "--group", "a", "--groups-dir", installation.path("groups"), "--requires", "2.0.0",
            ]
            func listing() throws -> [String] {
                // The index of the log is shared memory: a reader of the same user marks its place there.
                try FileManager.default.contentsOfDirectory(atPath: installation.path("groups/a")).sorted().map { name in
                    let file = URL(filePath: installation.path("groups/a/\(name)"))
                    return name.hasSuffix("-shm") || name == "Legacy" ? name : "\(name) \(try Data(contentsOf: file).hashValue)"
                }
            }
            let before = try listing()
            #expect(try Program.run("sluice-glance", arguments).code == 78)
            #expect(try listing() == before)
            try release("2.0.0", Self.two(), in: installation)
            #expect(try Program.run("sluice-glance", arguments).code == 78)
            try await installation.startCoordinator()
            _ = try await installation.settle("a")
            #expect(try await eventually { try Program.run("sluice-glance", arguments).code == 0 })
        }
    }

    @Test func `two devices of different versions share an account, and nothing that either wrote is lost when the older one follows`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            for name in ["a", "b"] { try installation.writeAccount(name) }
            // Device b has its own folder of schema files.
            let own = installation.path("config/schemas/older/shop")
            try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: installation.path("config/schemas/shop/1.0.0.yaml"), toPath: own + "/1.0.0.yaml")
            let account = installation.path("config/accounts.d/b.yaml")
            let text = try String(contentsOfFile: account, encoding: .utf8)
            try text.replacing(installation.path("config/schemas/shop"), with: own).write(toFile: account, atomically: true, encoding: .utf8)
            try await installation.startCoordinator()
            try installation.put("a", "milk", name: "milk")
            try await installation.expectAgreement(["a", "b"], count: 1)
            try await installation.stopCoordinator()
            try release("2.0.0", Self.two(), in: installation)
            try await installation.startCoordinator()
            _ = try await installation.settle("a")
            try installation.put("b", "bread", name: "bread")
            _ = try await installation.settle("b")
            #expect(try await eventually { try installation.sluice(["get", "bread", "--account", "a"]).code == 0 })
            try expect(["put", "Item", "--name", "bread", "title=bread", "shelf=top", "--account", "a"], in: installation)
            try expect(["put", "Item", "--name", "milk", "title=oat milk", "--account", "b"], in: installation)
            for name in ["a", "b", "a", "b"] { _ = try await installation.settle(name) }
            #expect(try schemaVersion("b", in: installation) == SchemaVersion(1, 0, 0))
            try await installation.stopCoordinator()
            try Data(Self.two().utf8).write(to: URL(filePath: own + "/2.0.0.yaml"))
            try await installation.startCoordinator()
            for name in ["b", "a", "b", "a"] { _ = try await installation.settle(name) }
            try await installation.expectAgreement(["a", "b"], count: 2)
            for name in ["a", "b"] {
                #expect(try installation.sluice(["get", "bread", "--account", name]).output.contains("shelf  top"))
                let milk = try installation.sluice(["get", "milk", "--account", name]).output
                #expect(milk.contains("oat milk") && milk.contains("S1"), "\(milk)")
            }
        }
    }

    private func expect(_ arguments: [String], in installation: Installation) throws {
        let outcome = try installation.sluice(arguments)
        #expect(outcome.code == 0, "\(outcome)")
    }

    @Test func `R13 a long migration asks the service manager for patience while it makes progress, and tells who will not wait`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            try installation.writeAccount("a")
            try await installation.startCoordinator()
            for index in 0..<11 { try installation.put("a", "item \(index)") }
            try await installation.expectAgreement(["a"], count: 11)
            try await installation.stopCoordinator()
            try release("2.0.0", Self.two(joining: 7), in: installation)
            let manager = try ManagerDouble(installation.path("manager"))
            let program = try Program(
                "sluiced", ["--config", installation.path("config")], environment: ["NOTIFY_SOCKET": installation.path("manager")])
            #expect(try await eventually { try installation.status("a")?.state == "migrating" })
            let impatient = try installation.sluice(["put", "Item", "title=x", "--no-wait", "--account", "a"])
            #expect(impatient.code == 75 && impatient.errors.contains("stage 1 of 1"), "\(impatient)")
            #expect(try installation.sluice(["status", "--account", "a"]).code == 75)
            #expect(try installation.sluice(["put", "Item", "title=x", "--account", "a"]).code == 0)
            let extensions = manager.messages.filter { $0.hasPrefix("EXTEND_TIMEOUT_USEC") }.count
            #expect(extensions > 2)
            #expect(try await installation.settle("a").entities["Item"] == 12)
            #expect(program.errorText.contains("migrating, stage 1 of 1: 1.0.0 → 2.0.0"))
            #expect(!program.errorText.contains("item 0"))
            program.signal(SIGTERM)
            #expect(try await program.waitForEnd() == 0)
        }
    }
}
