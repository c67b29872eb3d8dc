import Foundation
import SluiceCoordinator
import SluiceReader
import SluiceSchema
import SluiceSQLite
import Testing

/// Field report R9: what is saved in one piece and travels in many. `Deploy/soak.sh` runs the report's 80,000 rows, tests run fewer.
@Suite(.timeLimit(.minutes(10))) struct BulkTests {
    private static let itemsPerList = 199
    private static let lists =
        (ProcessInfo.processInfo.environment["SLUICE_SOAK_BULK_ROWS"].flatMap(Int.init) ?? 8_000) / (itemsPerList + 1)

    /// Parents and children by one transaction, the children first.
    private static func fill(_ installation: Installation) throws {
        let connection = try Connection(path: installation.path("state/a/Private.store"), mode: .readWrite)
        try connection.keepWriteAheadLog()
        try connection.execute(
            """
            BEGIN IMMEDIATE;
            PRAGMA defer_foreign_keys = ON;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(lists * itemsPerList))
            INSERT INTO Item(_id, title, count, list) SELECT randomblob(16), 'item ' || i, i, 1 + i % \(lists) FROM n;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(lists))
            INSERT INTO List(_pk, _id, title) SELECT i, randomblob(16), 'list ' || i FROM n;
            COMMIT
            """)
    }

    /// What helpers see of `b` until it is all there: the counts of items, and of those that were ever without their list.
    private static func watch(_ installation: Installation) async throws -> (counts: Set<Int>, orphans: Int) {
        let container = GroupContainer(directory: installation.path("groups/b"))
        let total = lists * itemsPerList
        var (counts, orphans): (Set<Int>, Int) = ([], 0)
        let isWhole = try await eventually(within: .seconds(400)) {
            do {
                let seen = try container.ask { snapshot in
                    (try snapshot.count(of: "Item"), try snapshot.count(of: "Item", where: RowFilter(parsing: "list == nil")))
                }
                counts.insert(seen.0)
                orphans += seen.1
                return seen.0 == total
            } catch ReaderError.noStore { return false }
        }
        #expect(isWhole)
        return (counts, orphans)
    }

    /// The most that the coordinator had in memory, in MiB.
    private static func peak(_ installation: Installation) throws -> Int {
        let process = try #require(installation.coordinator).identifier
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) }) / 1_024
    }

    @Test func `R9 rows of one huge transaction arrive in parts, no reader sees a child without its parent, and memory is bounded`() async throws {
        try await Installation.with { installation in
            try await installation.startService()
            for name in ["a", "b"] { try installation.writeAccount(name) }
            try await installation.startCoordinator(["--account", "a"])
            _ = try await installation.settle("a")
            try await installation.stopCoordinator()
            try Self.fill(installation)
            try await installation.startCoordinator()
            let seen = try await Self.watch(installation)
            #expect(seen.orphans == 0)
            #expect(seen.counts.count > 2, "it came in parts")
            try await installation.expectAgreement(["a", "b"], count: Self.lists * (Self.itemsPerList + 1))
            #expect(try Self.peak(installation) < 400)
        }
    }
}
