import Foundation
import SluiceCoordinator
import SluiceSchema
import SluiceSQLite
import Testing

/// Field report 39: stopped in the middle of a long push, politely and otherwise.
@Suite(.serialized, .timeLimit(.minutes(10))) struct StopTests {
    /// Rows that another program writes while the coordinator is away.
    private static func fill(_ installation: Installation, _ count: Int) throws {
        let connection = try Connection(path: installation.path("state/a/Private.store"), mode: .readWrite)
        try connection.keepWriteAheadLog()
        try connection.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO Item(_id, title, count) SELECT randomblob(16), 'item ' || i, i FROM n
            """)
    }

    private func prepare(_ installation: Installation, rows count: Int) async throws {
        try await installation.startService()
        try installation.writeAccount("a")
        try await installation.startCoordinator()
        _ = try await installation.settle("a")
        try await installation.stopCoordinator()
        try Self.fill(installation, count)
    }

    /// Starts the coordinator and returns when the service has so many more records.
    private func push(_ installation: Installation, beyond count: Int) async throws {
        let before = try await installation.metric("sluice_records_written_total")
        try await installation.startCoordinator()
        let isUnderWay = try await eventually { try await installation.metric("sluice_records_written_total") >= before + count }
        #expect(isUnderWay)
    }

    @Test func `39 a push of 40,000 rows ends within 5 seconds of SIGTERM, also of two, and goes on at the next start`() async throws {
        try await Installation.with { installation in
            try await prepare(installation, rows: 40_000)
            for signalCount in [1, 2] {
                try await push(installation, beyond: 1_000)
                for _ in 1..<signalCount { installation.coordinator?.signal(SIGTERM) }
                #expect(try await installation.stopCoordinator(SIGTERM, within: 5) == 0)
            }
            #expect(try await installation.metric("sluice_records_written_total") < 40_000)
            try await installation.startCoordinator()
            try await installation.expectAgreement(["a"], count: 40_000)
        }
    }

    @Test func `39 killed at random moments of a push, the store stays sound, and nothing acknowledged is missing or double`() async throws {
        try await Installation.with { installation in
            let rowsPerRound = 1_500
            try await prepare(installation, rows: rowsPerRound)
            var random = SeededGenerator(seed: 39)
            var acknowledged: Set<String> = []
            for round in 0..<5 {
                // Never more than a part of what waits, so that it is killed at work. Three crashes in a row would ground the account; a person who kills it knows why.
                unlink(installation.path("state/a/in-flight"))
                try await push(installation, beyond: .random(in: 1...800, using: &random))
                for index in 0..<Int.random(in: 1...20, using: &random) {
                    let response: PutResponse = try await installation.control("a").post(
                        "/v1/put", PutRequest(entity: "Item", properties: ["title": .string("round \(round) \(index)")]))
                    acknowledged.insert(response.name)
                }
                try await installation.stopCoordinator(SIGKILL)
                let connection = try Connection(path: installation.path("state/a/Private.store"), mode: .readWrite)
                try connection.keepWriteAheadLog()
                #expect(try connection.integrityFaults().isEmpty)
                try Self.fill(installation, rowsPerRound)
            }
            unlink(installation.path("state/a/in-flight"))
            try await installation.startCoordinator()
            try await installation.expectAgreement(["a"], count: 6 * rowsPerRound + acknowledged.count)
            #expect(acknowledged.isSubset(of: try await installation.names("Item", of: "a")))
        }
    }
}

/// The same numbers in every run (SplitMix64, by Sebastiano Vigna).
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
