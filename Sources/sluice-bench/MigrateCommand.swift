import SluiceCommandLine

/// `sluice-bench migrate`: migrations of a large store beside the same SQL by hand.
struct MigrateCommand: AsynchronousCommand {
    private static let rows = Parameter<Int>.option("rows", short: "n", value: "COUNT", default: "1000000", help: "Rows of the store.")
    private static let rounds = Parameter<Int>.option(
        "rounds", short: "r", value: "COUNT", default: "3", help: "How often each side runs; medians are printed.")
    private static let json = Flag("json", help: "Print one JSON object per benchmark.")

    static let declaration = Declaration(
        "migrate", "Add properties to many rows and fill them in a stage, beside the same SQL by hand.",
        discussion: """
            Both sides begin with a copy of one store in each round. A stage has a backup made first, which is in its time; the
            SQL by hand makes none. The stage is there twice: beside SQL that captures nothing, and beside SQL on a store whose triggers
            log what it changes.
            """,
        parameters: [rows.declaration, rounds.declaration, json.declaration], exitCodes: [(.software, "A benchmark gave a wrong result.")])

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func validate() throws(UsageError) {
        for parameter in [Self.rows, Self.rounds] where arguments.required(parameter) < 1 {
            throw UsageError("--\(parameter.declaration.name) must be at least 1")
        }
    }

    func run(_ console: Console) async throws -> ExitCode {
        try BenchmarkRun(rounds: arguments.required(Self.rounds), asJSON: arguments.isSet(Self.json)).run(console) { folder in
            MigrationBenchmarks(folder: folder, rows: arguments.required(Self.rows)).all
        }
        return .success
    }
}
