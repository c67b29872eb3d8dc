import Foundation
import SluiceCommandLine

/// `sluice-bench models`: SluiceData beside a C loop over the same rows.
struct ModelsCommand: AsynchronousCommand {
    private static let rows = Parameter<Int>.option(
        "rows", short: "n", value: "COUNT", default: "100000", help: "Rows of the insertion and fetch benchmarks.")
    private static let manyRows = Parameter<Int>.option(
        "many-rows", value: "COUNT", default: "1000000", help: "Rows of the aggregate and batch update benchmarks.")
    private static let rounds = Parameter<Int>.option(
        "rounds", short: "r", value: "COUNT", default: "5", help: "How often each side runs; medians are printed.")
    private static let only = Parameter<String>.option("only", value: "NAME", help: "Run the benchmarks whose name contains NAME.")
    private static let alone = Flag("alone", help: "Leave out the C loops where the results can be checked without: for a profiler.")
    private static let json = Flag("json", help: "Print one JSON object per benchmark.")

    static let declaration = Declaration(
        "models", "Insert, fetch, find, add up and update models, beside C loops over the same rows.",
        discussion: """
            Each benchmark runs both sides in turn and prints the median of each and their ratio. A wrong result ends the
            run with an error. Machines differ and are shared: only the ratios mean something.
            """,
        parameters: [rows.declaration, manyRows.declaration, rounds.declaration, only.declaration, alone.declaration, json.declaration],
        exitCodes: [(.software, "A benchmark gave a wrong result.")])

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func validate() throws(UsageError) {
        for parameter in [Self.rows, Self.manyRows, Self.rounds] where arguments.required(parameter) < 1 {
            throw UsageError("--\(parameter.declaration.name) must be at least 1")
        }
    }

    func run(_ console: Console) async throws -> ExitCode {
        let only = arguments.value(of: Self.only)
        try BenchmarkRun(rounds: arguments.required(Self.rounds), isAlone: arguments.isSet(Self.alone), asJSON: arguments.isSet(Self.json))
            .run(console) { folder in
                ModelBenchmarks(folder: folder, rows: arguments.required(Self.rows), manyRows: arguments.required(Self.manyRows)).all
                    .filter { benchmark in only.map { benchmark.name.contains($0) } ?? true }
            }
        return .success
    }
}
