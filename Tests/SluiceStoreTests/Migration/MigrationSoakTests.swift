import Foundation
import Glibc
import SluiceSQLite
import SluiceSchema
import Testing

@testable import SluiceStore

/// `Deploy/soak.sh` sets `SLUICE_SOAK` to a file for its progress, and runs the large size; tests run the small one.
@Suite(.serialized) struct MigrationSoakTests {
    private struct Size {
        var rows: Int
        /// Of all writes, one in so many fails; 0: a sample of `samples`.
        var every: Int
        var samples = 0
        var kills: Int

        static let isSoak = ProcessInfo.processInfo.environment["SLUICE_SOAK"] != nil

        private static func number(_ name: String, _ standard: Int) -> Int {
            ProcessInfo.processInfo.environment["SLUICE_SOAK_\(name)"].flatMap(Int.init) ?? standard
        }

        /// Every write of a small store, and a sample of a large one.
        static var all: [Size] {
            guard isSoak else { return [Size(rows: 700, every: 41, kills: 5)] }
            return [
                Size(rows: number("SMALL_ROWS", 1_000), every: 1, kills: 0),
                Size(rows: number("ROWS", 100_000), every: 0, samples: number("WRITES", 40), kills: number("KILLS", 200)),
            ]
        }
    }

    private let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-soak-\(UUID().uuidString)").path
    private static let seed = ProcessInfo.processInfo.environment["SLUICE_SEED"].flatMap(UInt64.init) ?? 1

    private func with(_ size: Size, _ body: (MigrationSoak) async throws -> Void) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let soak = try MigrationSoak(folder: folder, rows: size.rows)
        MigrationSoak.say("\(size.rows) rows, a migration takes \(soak.duration / 1_000) ms")
        try await body(soak)
    }

    private static let failpoints = [
        "migrationBegun:1", "migrationStepped:1", "migrationStepped:2", "migrationStepped:3", "committing:1", "committed:1",
    ]

    @Test func `a migration that is killed at a failpoint or anywhere leaves the old store or the new one, and the next completes it`()
        async throws
    {
        for size in Size.all {
            try await with(size) { soak in
                for point in Self.failpoints {
                    try soak.begin()
                    await #expect(processExitsWith: .signal(SIGKILL)) { [path = soak.trial as String, point = point as String] in
                        setenv("SLUICE_FAILPOINT", point, 1)
                        try MigrationSoak.migrate(path)
                    }
                    #expect(try soak.check(point) == (point == "committed:1"))
                    MigrationSoak.say("killed at \(point)")
                }
                var random = SplitRandom(state: Self.seed)
                var newCount = 0
                for kill in 0..<size.kills {
                    let moment = Int(random.next() % UInt64(max(1, soak.duration * 12 / 10)))
                    try soak.begin()
                    await #expect(processExitsWith: .signal(SIGKILL)) { [path = soak.trial as String, moment = moment as Int] in
                        // As if somebody else had sent it: whatever the migration is doing just then.
                        Thread.detachNewThread {
                            usleep(useconds_t(moment))
                            Glibc.kill(getpid(), SIGKILL)
                        }
                        try MigrationSoak.migrate(path)
                        while true { sleep(1) }
                    }
                    if try soak.check("killed after \(moment) µs") { newCount += 1 }
                    if kill % 10 == 9 { MigrationSoak.say("\(kill + 1) of \(size.kills) kills, \(newCount) after the commit") }
                }
                MigrationSoak.say("summary: \(size.rows) rows, \(Self.failpoints.count) failpoints and \(size.kills) kills, no violation")
            }
        }
    }

    @Test func `a migration whose disk fails at a write leaves the old store, and the next completes it`() async throws {
        for size in Size.all {
            try await with(size) { soak in
                await #expect(processExitsWith: .success) {
                    [
                        folder = soak.folder as String, rows = size.rows as Int, every = size.every as Int, samples = size.samples as Int,
                        seed = Self.seed as UInt64
                    ] in
                    setenv("SLUICE_DISK_FAULT", "full:1000000000", 1)
                    let soak = try MigrationSoak(folder: "\(folder)/disk", rows: rows)
                    try DiskSoak(soak: soak, every: every, samples: samples, seed: seed).run()
                }
            }
        }
    }
}

/// Faults at writes, in a process whose disk may fail.
private struct DiskSoak {
    let soak: MigrationSoak
    let every: Int
    let samples: Int
    let seed: UInt64

    func run() throws {
        #if DEBUG
            let count = try soak.writeCount()
            var random = SplitRandom(state: seed)
            let sample = (0..<samples).map { _ in 1 + Int(random.next() % UInt64(count)) }
            let points = every > 0 ? Array(stride(from: 1, through: count, by: every)) : sample
            try soak.begin()
            for (index, point) in points.enumerated() {
                // A full disk and one that fails take turns.
                if try soak.fail(index.isMultiple(of: 2) ? "full" : "write", at: point) { try soak.begin() }
                if index % max(1, points.count / 20) == 0 { MigrationSoak.say("\(soak.rows) rows, \(index + 1) of \(points.count) failed writes") }
            }
            guard try !soak.check("after \(points.count) failed writes") else {
                throw MigrationSoak.Violation(description: "nothing was left to do")
            }
            MigrationSoak.say("summary: \(soak.rows) rows, \(points.count) of \(count) writes failed, no violation")
        #endif
    }
}

/// SplitMix64.
private struct SplitRandom {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
