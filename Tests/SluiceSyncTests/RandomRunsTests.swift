import Foundation
import Testing

/// Runs from fixed seeds. `SLUICE_SEED=n` runs one of them and prints its steps; `SLUICE_SEEDS=n` runs that many from there.
@Suite struct RandomRunsTests {
    private static let stepCount = 60

    private static var seeds: [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        guard let first = environment["SLUICE_SEED"].flatMap(UInt64.init) else { return Array(1...150) }
        return Array(first..<first + (environment["SLUICE_SEEDS"].flatMap(UInt64.init) ?? 1))
    }

    @Test func `I-1 to I-7 whatever devices and service go through, they end with the same records`() throws {
        let seeds = Self.seeds
        for seed in seeds {
            let run = try RandomRun(seed: seed)
            defer { if seeds.count == 1 { print(run.log.joined(separator: "\n")) } }
            do {
                try run.run(steps: Self.stepCount)
            } catch {
                Issue.record("SLUICE_SEED=\(seed) (\(run.mishap)) threw \(error)")
                continue
            }
            let faults = try run.faults()
            #expect(faults.isEmpty, "SLUICE_SEED=\(seed) (\(run.mishap))")
        }
    }

    @Test func `a seed gives the same run again, byte for byte`() throws {
        let runs = try (0..<2).map { _ in try RandomRun(seed: 4) }
        for run in runs { try run.run(steps: Self.stepCount) }
        #expect(runs[0].log == runs[1].log)
        #expect(try runs[0].zone.digest() == runs[1].zone.digest())
        #expect(runs[0].zone.received == runs[1].zone.received)
    }
}
