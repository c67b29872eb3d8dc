import Foundation
import SluiceCoordinator
import SluiceSQLite
import Testing

/// Stores from before the group container, taken in by real coordinators.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LegacySourceTests {
    @Test func `01 rows that are only in the write-ahead log of a killed writer arrive, and its folder stays as it is`() async throws {
        try await Installation.with { installation in
            let source = try installation.makeLegacyStore(items: 100) { try Installation.addItems(101...105, to: $0) }
            let before = try Installation.listing(installation.path("legacy"))
            try await installation.startService()
            try installation.writeLegacyAccount("a", importing: source)
            try await installation.startCoordinator()
            let status = try await installation.settle("a")
            #expect(status.entities["ShoppingItem"] == 105)
            #expect(status.legacy.map(\.state) == ["imported"])
            #expect(try Installation.listing(installation.path("legacy")) == before)
            #expect(try Connection(path: source, mode: .readWrite).integer("SELECT count(*) FROM ZSHOPPINGITEM") == 105)
        }
    }

    @Test func `a legacy store on a read-only mount is imported`() async throws {
        try await Installation.with { installation in
            let source = try installation.makeLegacyStore(items: 40) { try Installation.addItems(41...42, to: $0) }
            try await installation.startService()
            try installation.writeLegacyAccount("a", importing: source)
            let place = installation.path("legacy")
            let isMounted = try await installation.mounting(["--bind", "-o", "ro", place], at: place) {
                #expect(open(place + "/probe", O_CREAT | O_WRONLY, 0o600) < 0)
                try await installation.startCoordinator()
                let status = try await installation.settle("a")
                #expect(status.entities["ShoppingItem"] == 42)
                try await installation.stopCoordinator()
            }
            if !isMounted { print("nothing can be mounted here: not tested") }
        }
    }

    @Test func `04 a synced store from another place keeps names, tags and token: one sync pushes nothing and pulls nothing`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            let names = try await Self.moveSyncedStore(installation)
            let written = try await installation.metric("sluice_records_written_total")
            let read = try await installation.metric("sluice_records_read_total")
            try await installation.startCoordinator()
            let status = try await installation.settle("a")
            #expect(status.legacy.map(\.state) == ["imported"])
            #expect(try await installation.metric("sluice_records_written_total") == written)
            #expect(try await installation.metric("sluice_records_read_total") == read)
            #expect(try await installation.names("Item", of: "a") == names)
            try await installation.expectAgreement(["a"], count: 10)
            try installation.put("a", "edited", name: names[0])
            try await installation.expectAgreement(["a"], count: 10)
        }
    }

    @Test func `04 a synced store is moved without credentials too`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            let names = try await Self.moveSyncedStore(installation)
            try installation.editAccount("a") { text in
                text.replacing(/credentials:\n.*\n/, with: "")
            }
            try await installation.startCoordinator()
            let status = try await installation.expectState("blocked", of: "a")
            #expect(status.reason?.contains("no credentials") == true)
            #expect(status.legacy.map(\.state) == ["imported"])
            #expect(try await installation.names("Item", of: "a") == names)
            try installation.writeAccount("a", legacy: installation.path("old/Shop.store"))
            installation.reload()
            try await installation.expectState("idle", of: "a")
            try await installation.expectAgreement(["a"], count: 10)
        }
    }

    @Test func `04 a move that is killed after any rename is complete at the next start`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            let names = try await Self.moveSyncedStore(installation)
            var deathCount = 0
            for hit in 1...4 {
                let program = try Program(
                    "sluiced", ["--config", installation.path("config"), "--account", "a"], environment: ["SLUICE_FAILPOINT": "renamed:\(hit)"])
                _ = try await eventually { try !program.isRunning || installation.status("a")?.state == "idle" }
                if !program.isRunning { deathCount += 1 }
                program.signal(SIGKILL)
                try await program.waitForEnd()
                try await installation.startCoordinator()
                let status = try await installation.settle("a")
                #expect(status.legacy.map(\.state) == ["imported"], "\(hit): \(status.legacy)")
                #expect(try await installation.names("Item", of: "a") == names)
                try await installation.stopCoordinator()
                for place in ["state", "groups"] { try FileManager.default.removeItem(atPath: installation.path(place)) }
            }
            #expect(deathCount == 4)
        }
    }

    /// Account `a` with 10 synced rows, whose store now lies in `old` and is its legacy source. Returns the rows' names.
    private static func moveSyncedStore(_ installation: Installation) async throws -> [String] {
        try installation.writeAccount("a")
        try await installation.startCoordinator()
        for index in 0..<10 { try installation.put("a", "item \(index)") }
        try await installation.expectAgreement(["a"], count: 10)
        let names = try await installation.names("Item", of: "a")
        try await installation.stopCoordinator()
        try FileManager.default.createDirectory(atPath: installation.path("old"), withIntermediateDirectories: true)
        for suffix in ["", "-wal", "-shm"] {
            let file = installation.path("state/a/Private.store" + suffix)
            guard FileManager.default.fileExists(atPath: file) else { continue }
            try FileManager.default.moveItem(atPath: file, toPath: installation.path("old/Shop.store" + suffix))
        }
        for place in ["state", "groups"] { try FileManager.default.removeItem(atPath: installation.path(place)) }
        try installation.writeAccount("a", legacy: installation.path("old/Shop.store"))
        return names
    }

    @Test func `03 two coordinators and a killed importer make one complete store, and helpers see nothing less`() async throws {
        try await Installation.with { installation in
            let count = 3_000
            let source = try installation.makeLegacyStore(items: count)
            try await installation.startService()
            try installation.writeLegacyAccount("a", importing: source)
            let helpers = try (0..<3).map { _ in try PollingHelper(installation, group: "a", entity: "ShoppingItem") }
            var logs: [String] = []
            for isKilled in [true, false] {
                // Half way: one of the commits that fill the store which is being made.
                let environment = isKilled ? ["SLUICE_FAILPOINT": "committing:4:stop"] : [:]
                let pair = try (0..<2).map { _ in
                    try Program("sluiced", ["--config", installation.path("config"), "--account", "a"], environment: environment)
                }
                #expect(try await eventually { pair.contains { !$0.isRunning } })
                let importer = try #require(pair.first { $0.isRunning })
                let other = try #require(pair.first { !$0.isRunning })
                #expect(try await other.waitForEnd() == 78)
                if isKilled {
                    #expect(try await eventually { try importer.isStopped })
                    importer.signal(SIGKILL)
                    #expect(try await importer.waitForEnd() == -SIGKILL)
                    #expect(FileManager.default.fileExists(atPath: installation.path("state/a/Private.store.importing")))
                } else {
                    #expect(try await installation.settle("a").entities["ShoppingItem"] == count)
                    importer.signal(SIGTERM)
                    #expect(try await importer.waitForEnd() == 0)
                }
                logs.append(importer.errorText)
            }
            for helper in helpers {
                let answers = try await helper.stop()
                #expect(Set(answers).isSubset(of: ["66 ", "75 ", "0 \(count)"]))
                #expect(answers.first == "66 " && answers.last == "0 \(count)")
            }
            #expect(logs.map { $0.split(separator: "\n").count { $0.contains(": imported") } } == [0, 1])
            #expect(try Connection(path: installation.path("state/a/Private.store"), mode: .readWrite).integrityFaults().isEmpty)
            try installation.expectNoTemporaryFiles()
        }
    }
}
