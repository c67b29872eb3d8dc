import Foundation
import Glibc
import SluiceCoordinator
import SluiceSQLite
import SluiceSchema
import Testing

/// A helper of another user, in every state that a coordinator can be in: each read is a whole generation or a status that is documented, and
/// the helper changes no byte (I-8). Counts are those of the design's section 16.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: Installation.isRoot, "only root can run a helper as another user"))
struct HelperStatesTests {
    private static let readCount = 300
    private static let group = "  unixGroup: nogroup"

    /// Two rows in one transaction, as any program of the coordinator's user may write them.
    private func addPairs(_ count: Int, to installation: Installation) throws {
        let connection = try Connection(path: installation.path("state/a/Private.store"), mode: .readWrite, busyTimeout: .seconds(10))
        try connection.keepWriteAheadLog()
        for _ in 0..<count {
            try connection.execute("INSERT INTO Item(_id, title, count) VALUES (randomblob(16), 'left', 1), (randomblob(16), 'right', 1)")
        }
    }

    /// Adds them and waits until helpers see so many rows.
    private func show(_ count: Int, in installation: Installation) async throws {
        let shown = try { try Program.run("sluice-glance", ["count", "Item", "--groups-dir", installation.path("groups"), "--group", "a"]).output }
        try addPairs((count - (Int(shown().trimmingCharacters(in: .newlines)) ?? 0)) / 2, to: installation)
        _ = try await installation.settle("a")
        #expect(try await eventually(within: .seconds(60)) { try shown() == "\(count)\n" })
    }

    private func running(_ body: (Installation) async throws -> Void) async throws {
        try await Installation.with { installation in
            try await installation.startService()
            try installation.writeAccount("a", group: Self.group)
            try await installation.startCoordinator()
            _ = try await installation.settle("a")
            try await show(2, in: installation)
            try await body(installation)
        }
    }

    /// Reads `readCount` times while `state` lasts.
    private func reading(
        _ installation: Installation, _ what: String, of entity: String = "Item", statuses: Set<String> = [],
        meanwhile: (PollingHelper) async throws -> Void = { _ in }
    ) async throws -> [Int] {
        let helper = try PollingHelper(installation, group: "a", entity: entity, as: "nobody")
        try await meanwhile(helper)
        try await helper.waitForAnswers(max(1, Self.readCount - helper.answers.count), within: .seconds(200))
        let answers = try await helper.stop()
        #expect(answers.count >= Self.readCount, "\(what)")
        let counts = answers.compactMap { $0.hasPrefix("0 ") ? Int($0.dropFirst(2)) : nil }
        let others = Set(answers.filter { !$0.hasPrefix("0 ") }.map { String($0.prefix { $0 != " " }) })
        #expect(others.isSubset(of: statuses), "\(what): \(others)")
        #expect(counts.allSatisfy { $0.isMultiple(of: 2) && $0 > 0 }, "\(what): half of a transaction")
        return counts
    }

    /// Names, sizes, modes, times and content of everything that the helper can reach.
    private func contents(_ installation: Installation) throws -> String {
        let script = "cd \"$1\" && find . -printf '%p %s %m %u %g %T@\\n' | sort && find . -type f -print0 | sort -z | xargs -0 sha256sum"
        let outcome = try Program.run("/usr/bin/env", ["sh", "-c", script, "sh", installation.path("groups")])
        #expect(outcome.code == 0 && !outcome.output.isEmpty, "\(outcome.errors)")
        return outcome.output
    }

    @Test func `no byte of a container changes by reading it, be the coordinator stopped or killed`() async throws {
        try await running { installation in
            for (count, signal) in [(4, SIGTERM), (6, SIGKILL)] {
                try await show(count, in: installation)
                try await installation.stopCoordinator(signal)
                let before = try contents(installation)
                _ = try await reading(installation, "signal \(signal)")
                for command in ["list", "status"] {
                    let arguments = ["-u", "nobody", "--", installation.path("sluice-glance"), command] + (command == "list" ? ["Item"] : [])
                        + ["--groups-dir", installation.path("groups"), "--group", "a"]
                    #expect(try Program.run("/usr/sbin/runuser", arguments).code == 0, "\(command)")
                }
                #expect(try contents(installation) == before)
                try await installation.startCoordinator()
            }
        }
    }

    @Test func `a coordinator that writes without pause is read in whole transactions`() async throws {
        try await running { installation in
            let counts = try await reading(installation, "writing") { helper in
                while helper.answers.count < Self.readCount { try addPairs(5, to: installation) }
            }
            #expect(counts == counts.sorted())
            #expect(Set(counts).count > 2)
        }
    }

    @Test func `a store that is migrated is read as it was, and then as it is`() async throws {
        try await running { installation in
            try await show(20, in: installation)
            try await installation.stopCoordinator()
            // The stage counts a product of the table with itself, for each row: some seconds.
            let tables = (0..<5).map { "Item AS t\($0)" }.joined(separator: ", ")
            let two = Installation.schema.replacing("1.0.0", with: "2.0.0").replacing("data: data?", with: "data: data?\n      shelf: string?") + """

                migration:
                  after:
                    - entity: Item
                      set:
                        shelf: "'S' || (SELECT count(*) > 0 FROM \(tables))"
                """
            try Data(two.utf8).write(to: URL(filePath: installation.path("config/schemas/shop/2.0.0.yaml")))
            let counts = try await reading(installation, "migrating", statuses: ["75"]) { helper in
                try await installation.startCoordinator()
                _ = try await installation.settle("a")
                try await helper.waitForAnswers(2)
            }
            #expect(Set(counts) == [20])
        }
    }

    @Test func `of a legacy store that is taken in nothing is seen, or all of it`() async throws {
        try await Installation.with { installation in
            let source = try installation.makeLegacyStore(items: 20_000)
            try await installation.startService()
            try installation.writeLegacyAccount("a", importing: source, group: Self.group)
            // No container, none that may be entered yet, or none with a store: then the store.
            let counts = try await reading(installation, "importing", of: "ShoppingItem", statuses: ["66", "75", "77"]) { helper in
                try await helper.waitForAnswers(1)
                try await installation.startCoordinator()
                #expect(try await eventually(within: .seconds(100)) { helper.answers.contains("0 20000") })
            }
            #expect(Set(counts) == [20_000])
        }
    }

    @Test func `an account that is put back to a backup is read before, during and after`() async throws {
        try await running { installation in
            #expect(try installation.sluice(["backup", "--account", "a"]).code == 0)
            let backup = try #require(
                try FileManager.default.contentsOfDirectory(atPath: installation.path("state/a/Private.store.backups")).first { !$0.hasPrefix(".") })
            try await show(6, in: installation)
            let counts = try await reading(installation, "restored") { helper in
                try await helper.waitForAnswers(2)
                try await installation.stopCoordinator()
                #expect(try installation.sluice(["restore", backup, "--account", "a", "--yes"]).code == 0)
                try await helper.waitForAnswers(2)
                try await installation.startCoordinator()
                // What the service has comes back.
                _ = try await installation.settle("a")
                try await helper.waitForAnswers(2)
            }
            #expect(counts.first == 6 && counts.last == 6)
        }
    }

    @Test func `a log that a hostile reader keeps from shrinking stays under its cap, and everybody else reads on`() async throws {
        try await running { installation in
            // A reader that never ends, and one that holds a lock on `-shm` as no SQLite would.
            let store = try #require(
                try FileManager.default.contentsOfDirectory(atPath: installation.path("groups/a")).first { $0.hasSuffix(".store") })
            let place = installation.path("groups/a/\(store)")
            let hostile = """
                import fcntl, sqlite3, sys, time
                c = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True)
                c.execute("BEGIN"); c.execute("SELECT count(*) FROM Item").fetchone()
                f = open(sys.argv[1] + "-shm", "rb")
                fcntl.lockf(f, fcntl.LOCK_SH, 8, 120)
                print("holding", flush=True)
                time.sleep(600)
                """
            let program = try Program("/usr/sbin/runuser", ["-u", "nobody", "--", "/usr/bin/env", "python3", "-c", hostile, place])
            defer { program.signal(SIGKILL) }
            #expect(try await eventually { program.outputText.contains("holding") || !program.isRunning })
            #expect(program.isRunning, "\(program.errorText)")
            let counts = try await reading(installation, "held") { helper in
                for round in 1...6 { try await show(round * 1_000, in: installation) }
                try await helper.waitForAnswers(2)
            }
            #expect(counts.last == 6_000)
            for name in try FileManager.default.contentsOfDirectory(atPath: installation.path("groups/a")) where name.hasSuffix("-wal") {
                let size = try FileManager.default.attributesOfItem(atPath: installation.path("groups/a/\(name)"))[.size] as? Int ?? 0
                #expect(size < 64 << 20, "\(name)")
            }
        }
    }

    @Test func `a helper that is killed at any moment leaves nothing behind`() async throws {
        try await running { installation in
            try await show(400, in: installation)
            let helper = try PollingHelper(installation, group: "a", entity: "Item", as: "nobody")
            try await helper.waitForAnswers(1)
            _ = try await helper.stop()
            try await installation.stopCoordinator()
            let before = try contents(installation)
            for index in 0..<40 {
                let arguments = [
                    "-u", "nobody", "--", installation.path("sluice-glance"), "list", "Item", "--groups-dir", installation.path("groups"),
                    "--group", "a",
                ]
                let program = try Program("/usr/sbin/runuser", arguments)
                usleep(useconds_t(index * 400))
                // The helper is runuser's child; both go.
                _ = try Program.run("/usr/bin/env", ["pkill", "-KILL", "-P", "\(program.identifier)"])
                program.signal(SIGKILL)
                try await program.waitForEnd()
            }
            #expect(try contents(installation) == before)
        }
    }
}
