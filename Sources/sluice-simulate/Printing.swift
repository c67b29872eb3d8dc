import Foundation
import SluiceCommandLine
import SluiceSimulation

/// What the program says, as text or as JSON.
struct Printing {
    let console: Console
    let asJSON: Bool
    /// Where scenarios are written; nil: nowhere.
    let folder: String?

    private struct Failure: Encodable {
        let seed: UInt64
        let theme: String
        let violations: [String]
        /// A scenario file; nil where it was not shrunk.
        let scenario: String?
    }

    private struct Summary: Encodable {
        let runs: Int
        let failures: [UInt64]
        let requests: Int
        let virtualHours: Int
        /// Pairs of a fault and a phase that met, of those that have to.
        let coverage: Int
        let coverageOf: Int
    }

    func failure(_ outcome: RunOutcome, shrunk: RunOutcome?) throws {
        let seed = outcome.scenario.seed
        if asJSON {
            let violations = shrunk?.violations ?? outcome.violations
            try console.printJSON(Failure(seed: seed, theme: outcome.scenario.theme.rawValue, violations: violations, scenario: shrunk?.scenario.json))
        } else {
            console.printLine("seed \(seed) (\(outcome.scenario.theme.rawValue)) fails:")
            for violation in outcome.violations { console.printLine("  \(violation)") }
            if let shrunk {
                console.printLine("with \(shrunk.scenario.steps.count) of its \(outcome.scenario.steps.count) steps:")
                for violation in shrunk.violations { console.printLine("  \(violation)") }
                console.output.write(shrunk.scenario.json)
            }
        }
        guard let folder else { return }
        let file = URL(filePath: folder, directoryHint: .isDirectory).appending(path: "seed-\(seed).json")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data((shrunk ?? outcome).scenario.json.utf8).write(to: file)
    }

    func summary(_ result: SimulationBatch.Result) throws {
        let hours = Int(result.virtualMilliseconds / 3_600_000)
        let met = Coverage.pairCount - result.coverage.missing.count
        if asJSON {
            return try console.printJSON(
                Summary(
                    runs: result.runCount, failures: result.failures.map(\.scenario.seed), requests: result.requestCount, virtualHours: hours,
                    coverage: met, coverageOf: Coverage.pairCount))
        }
        if !result.coverage.missing.isEmpty { console.report("no run had: \(result.coverage.missing.map(\.description).joined(separator: ", "))") }
        console.printLine(
            "\(result.runCount) runs, \(result.failures.count) with a violation, \(result.requestCount) requests in \(hours) virtual hours, "
                + "\(met) of \(Coverage.pairCount) pairs of fault and phase met")
    }

    func replayed(_ outcome: RunOutcome) throws {
        if asJSON {
            return try console.printJSON(
                Failure(seed: outcome.scenario.seed, theme: outcome.scenario.theme.rawValue, violations: outcome.violations, scenario: nil))
        }
        for line in outcome.log { console.printLine(line) }
        console.printLine(
            "\(outcome.scenario.steps.count) steps, \(outcome.requestCount) requests, "
                + (outcome.violations.isEmpty ? "no violation" : "\(outcome.violations.count) violations"))
    }
}
