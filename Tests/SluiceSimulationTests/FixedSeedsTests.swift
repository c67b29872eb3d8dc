import Foundation
import SluiceSimulation
import Testing

/// Runs from fixed seeds. `SLUICE_SEED=n` runs that one and prints its steps.
@Suite struct FixedSeedsTests {
    private static let seedCount: UInt64 = 312

    @Test func `I-1 to I-8 and I-10: whatever devices, networks, disks, clocks, services and people do, all hold the same at the end`() async throws {
        let one = ProcessInfo.processInfo.environment["SLUICE_SEED"].flatMap(UInt64.init)
        let seeds = one.map { [$0] } ?? Array(1...Self.seedCount)
        let runs = try await SimulationBatch(seeds: seeds, workers: 2).run()
        for failure in runs.failures {
            Issue.record("sluice-simulate --from \(failure.scenario.seed) --seeds 1 (\(failure.scenario.theme)): \(failure.violations)")
        }
        if one != nil { for line in runs.last?.log ?? [] { print(line) } } else { #expect(runs.coverage.missing.isEmpty, "no seed had these") }
    }

    @Test(arguments: [3, 11, 26] as [UInt64]) func `a seed gives the same run again, byte for byte`(seed: UInt64) async throws {
        let scenario = Scenario.drawn(from: seed)
        let first = try await scenario.run(isTracing: true)
        let second = try await scenario.run(isTracing: true)
        #expect(first.log == second.log)
        #expect(first.requestCount > 0)
    }
}
