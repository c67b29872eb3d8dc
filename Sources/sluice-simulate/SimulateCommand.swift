import Foundation
import SluiceCommandLine
import SluiceSimulation

/// `sluice-simulate`: runs seeds, or one scenario file.
struct SimulateCommand: AsynchronousCommand {
    private static let seeds = Parameter<Int>.option("seeds", short: "n", value: "COUNT", default: "100", help: "How many seeds to run.")
    private static let from = Parameter<Int>.option("from", value: "SEED", default: "1", help: "The first of them.")
    private static let replay = Parameter<String>.option("replay", value: "FILE", help: "Run the scenario in this file instead, and print its steps.")
    private static let save = Parameter<String>.option("save", value: "DIRECTORY", help: "Write the scenario of each failure there, as seed-N.json.")
    private static let workers = Parameter<Int>.option("workers", value: "COUNT", default: "2", help: "How many seeds to run at the same time.")
    private static let variants = Flag("variants", help: "Run code that is broken on purpose instead, each variant until a seed catches it.")
    private static let json = Flag("json", help: "Print one JSON object per failure, and one as summary.")

    static let declaration = Declaration(
        "sluice-simulate", "Run devices, a service, networks, disks, clocks and people in virtual time, and check what must hold.",
        discussion: """
            Every run comes from one seed and is the same each time. What fails is shrunk to a small scenario, which is printed; put it in a file
            and run it again with --replay. The last line is a summary.
            """,
        parameters: [seeds.declaration, from.declaration, replay.declaration, save.declaration, workers.declaration, variants.declaration, json.declaration],
        exitCodes: [
            (ExitCode(rawValue: 1), "Something that must hold did not."), (.noInput, "There is no such scenario file."),
            (.data, "The file holds no scenario."),
        ])

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func validate() throws(UsageError) {
        for parameter in [Self.seeds, Self.workers] where arguments.required(parameter) < 1 {
            throw UsageError("--\(parameter.declaration.name) must be at least 1")
        }
        guard arguments.required(Self.from) >= 0 else { throw UsageError("--from must not be negative") }
    }

    func run(_ console: Console) async throws -> ExitCode {
        let printing = Printing(console: console, asJSON: arguments.isSet(Self.json), folder: arguments.value(of: Self.save))
        if let file = arguments.value(of: Self.replay) { return try await replay(file, printing) }
        if arguments.isSet(Self.variants) { return try await runVariants(printing) }
        let first = UInt64(arguments.required(Self.from))
        let count = arguments.required(Self.seeds)
        var progress = Progress("simulated runs", total: count, console: console)
        let batch = SimulationBatch(seeds: (0..<UInt64(count)).map { first &+ $0 }, workers: arguments.required(Self.workers))
        let result = try await batch.run { progress.update($0) }
        progress.finish(count)
        for failure in result.failures.prefix(Self.shrunkCountMax) {
            var shrinking = Shrinking(failure)
            try await shrinking.run()
            try printing.failure(failure, shrunk: shrinking.smallest)
        }
        for failure in result.failures.dropFirst(Self.shrunkCountMax) { try printing.failure(failure, shrunk: nil) }
        try printing.summary(result)
        return result.failures.isEmpty ? .success : ExitCode(rawValue: 1)
    }

    private func runVariants(_ printing: Printing) async throws -> ExitCode {
        var missed = 0
        for variant in BrokenVariant.all {
            let caught = try await variant.firstCaught(within: UInt64(arguments.required(Self.seeds)))
            if caught == nil { missed += 1 }
            printing.console.printLine("\(variant.name): \(caught.map { "seed \($0.scenario.seed): \($0.violations.first ?? "")" } ?? "not caught")")
        }
        printing.console.printLine("\(BrokenVariant.all.count) broken variants, \(missed) not caught within \(arguments.required(Self.seeds)) seeds")
        return missed == 0 ? .success : ExitCode(rawValue: 1)
    }

    /// Failures beyond this number have most likely one cause.
    private static let shrunkCountMax = 3

    private func replay(_ file: String, _ printing: Printing) async throws -> ExitCode {
        guard let data = FileManager.default.contents(atPath: file) else {
            printing.console.report("sluice-simulate: \(file) cannot be read: name a file that --save wrote")
            return .noInput
        }
        let scenario: Scenario
        do { scenario = try Scenario(json: data) } catch {
            printing.console.report("sluice-simulate: \(file) is no scenario: \(error)")
            return .data
        }
        let outcome = try await scenario.run(isTracing: true)
        try printing.replayed(outcome)
        return outcome.violations.isEmpty ? .success : ExitCode(rawValue: 1)
    }
}
