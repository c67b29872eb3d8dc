import Foundation
import SluiceCoordinator
import SluiceSQLite
import Testing

/// Two coordinators and one service as processes, with a network between them that fails, and all of them killed again and again while both
/// sides edit the same records. Afterwards everybody has the same, nothing is lost and nothing is there twice (I-1 to I-3).
@Suite(.serialized, .timeLimit(.minutes(60))) struct ContentionTests {
    /// Kills of each process.
    private static let kills = number("SLUICE_SOAK_CONTENTION_KILLS") ?? 5
    private static let seed = UInt64(number("SLUICE_SEED") ?? 1)

    private static func number(_ variable: String) -> Int? { ProcessInfo.processInfo.environment[variable].flatMap(Int.init) }

    private static let schema = """
        schema: shop
        version: 1.0.0
        entities:
          Item:
            attributes:
              title: string
              price: double?
              count: {type: int64, default: 0}
              labels: codable?
        """

    private static let policies = """
          entities:
            Item:
              conflicts: latestEdit
              fields: {count: counter, labels: union, price: clientWins}
        """

    @Test func `two coordinators behind a network that fails agree after all were killed again and again, and every edit counts once`() async throws {
        try await Installation.with { installation in
            try Data(Self.schema.utf8).write(to: URL(filePath: installation.path("config/schemas/shop/1.0.0.yaml")))
            try await installation.startService()
            let proxy = try FaultProxy(to: installation.port, seed: Self.seed)
            defer { proxy.close() }
            for name in ["a", "b"] {
                try installation.writeAccount(name)
                try installation.editAccount(name) {
                    $0.replacing("127.0.0.1:\(installation.port)", with: "127.0.0.1:\(proxy.port)")
                        .replacing("\nlocal:", with: "\n\(Self.policies)\nlocal:")
                }
            }
            let contest = Contest(installation, seed: Self.seed)
            do {
                try await contest.begin()
                try await contest.run(kills: Self.kills, proxy)
                proxy.calm()
                try await contest.expectAgreement()
            } catch {
                await contest.end()
                throw error
            }
            await contest.end()
            #expect(proxy.counts.values.reduce(0, +) > Self.kills, "\(proxy.counts)")
        }
    }
}

/// The two coordinators, what was done at them, and what has to come of it. Edits are single SQL statements on the live stores, as anybody may
/// make them: an addition is then one whatever arrives meanwhile.
private final class Contest: @unchecked Sendable {
    // Unchecked: one test uses it, from one task at a time.

    private static let names = ["a", "b"]
    private static let shared = "shared"
    private let installation: Installation
    private let draws: SeededDraws
    private var programs: [String: Program] = [:]
    private var stores: [String: Connection] = [:]
    private var titles: Set<String> = []
    private var labels: Set<String> = []
    private var sum: Int64 = 0

    init(_ installation: Installation, seed: UInt64) {
        self.installation = installation
        draws = SeededDraws(seed: seed)
    }

    /// Both devices have the record that they will contend for.
    func begin() async throws {
        for name in Self.names { try await start(name) }
        let item = try installation.sluice(["put", "Item", "title=shared", "count=0", "--name", Self.shared, "--account", "a"])
        #expect(item.code == 0, "\(item.errors)")
        titles = ["shared"]
        for name in Self.names {
            let isThere = try await eventually(within: .seconds(60)) {
                await ask(name)
                return try installation.sluice(["get", Self.shared, "--account", name]).code == 0
            }
            #expect(isThere, "\(programs[name]?.errorText.suffix(2_000) ?? "")")
            let store = try Connection(path: installation.path("state/\(name)/Private.store"), mode: .readWrite, busyTimeout: .seconds(10))
            try store.keepWriteAheadLog()
            stores[name] = store
        }
    }

    private func start(_ name: String) async throws {
        // Three crashes in a row put an account on the ground, and here it crashes through no fault of its own.
        unlink(installation.path("state/\(name)/in-flight"))
        let program = try Program("sluiced", ["--config", installation.path("config"), "--account", name])
        programs[name] = program
        let isUp = try await eventually { program.errorText.contains("configuration in") || !program.isRunning }
        #expect(isUp && program.isRunning, "\(program.errorText)")
    }

    private func kill(_ name: String) async throws {
        programs[name]?.signal(SIGKILL)
        try await programs[name]?.waitForEnd()
    }

    /// Lets the account try at once, whatever it waits for. A coordinator that does not answer just now is asked again later.
    private func ask(_ name: String) async {
        do { let _: AccountStatus = try await installation.control(name).post("/v1/sync", SyncRequest(waits: false)) } catch { return }
    }

    // MARK: Edits

    /// A few edits at one side; when this returns they are on its disk.
    private func edit(_ name: String, _ round: Int) throws {
        let store = try #require(stores[name])
        for index in 0..<4 {
            let title = "\(name) \(round).\(index)"
            try store.execute("INSERT INTO Item(_id, title, count) VALUES (randomblob(16), '\(title)', 1)")
            titles.insert(title)
        }
        let addition = Int64(1 + draws.next(below: 9))
        let label = "\(name)\(round)"
        try store.execute("UPDATE Item SET count = count + \(addition) WHERE title = '\(Self.shared)'")
        sum += addition
        try store.execute(
            "UPDATE Item SET labels = CAST(json_insert(coalesce(CAST(labels AS TEXT), '[]'), '$[#]', '\(label)') AS BLOB) WHERE title = 'shared'")
        labels.insert(label)
        try store.execute("UPDATE Item SET price = \(round).5 WHERE title = 'shared'")
    }

    // MARK: The contest

    func run(kills: Int, _ proxy: FaultProxy) async throws {
        var left = ["a": kills, "b": kills, "service": kills]
        for round in 0... {
            let open = left.filter { $0.value > 0 }.keys.sorted()
            guard !open.isEmpty else { return }
            let victim = open[draws.next(below: open.count)]
            left[victim, default: 0] -= 1
            let partitions: [Set<FaultProxy.Direction>] = [[], [], [.toService], [.toClient], [.toService, .toClient]]
            proxy.block(partitions[draws.next(below: partitions.count)])
            for name in Self.names { try edit(name, round) }
            for name in Self.names { await ask(name) }
            // The moment is drawn: anywhere in a push or a pull.
            try await Task.sleep(for: .milliseconds(20 + draws.next(below: 250)))
            if victim == "service" { try await installation.stopService(SIGKILL) } else { try await kill(victim) }
            for name in Self.names where name != victim { try edit(name, round + 100_000) }
            proxy.block([])
            if victim == "service" { try await installation.startService() } else { try await start(victim) }
        }
    }

    func end() async {
        for program in programs.values {
            program.signal(SIGKILL)
            do { try await program.waitForEnd() } catch { print("process \(program.identifier): \(error)") }
        }
    }

    // MARK: Afterwards

    func expectAgreement() async throws {
        var statuses: [AccountStatus] = []
        let isDone = try await eventually(within: .seconds(120)) {
            for name in Self.names { _ = try installation.sluice(["sync", "--account", name]) }
            statuses = try Self.names.compactMap { try installation.status($0, detailed: true) }
            return statuses.count == 2 && Set(statuses.map(\.digest)).count == 1
                && statuses.allSatisfy { $0.state == "idle" && $0.pending == 0 && $0.inbox == 0 && $0.setAsideCount == 0 }
        }
        #expect(isDone, "\(statuses) \(programs.values.map { $0.errorText.suffix(3_000) })")
        let service = try await installation.serviceDigest("a")
        #expect(statuses.first?.digest == service.text)
        #expect(service.count == titles.count)
        for name in Self.names {
            let store = try #require(stores[name])
            let found = try store.rows("SELECT title FROM Item ORDER BY title") { $0.text(0) }
            #expect(found == titles.sorted(), "\(name): lost or doubled")
            #expect(try store.integer("SELECT count FROM Item WHERE title = 'shared'") == sum, "\(name)")
            let json = try store.rows("SELECT value FROM Item, json_each(CAST(labels AS TEXT)) WHERE title = 'shared' ORDER BY value") { $0.text(0) }
            #expect(json == labels.sorted(), "\(name)")
        }
    }
}
