import Foundation
import SluiceCommandLine

/// `sluice-bench sync`: coordinators and a record service as processes, over TLS.
struct SyncCommand: AsynchronousCommand {
    private static let rows = Parameter<Int>.option("rows", short: "n", value: "COUNT", default: "100000", help: "Records that are pushed and pulled.")
    private static let edits = Parameter<Int>.option("edits", value: "COUNT", default: "51", help: "Edits that are watched on their way; medians are printed.")
    private static let json = Flag("json", help: "Print one JSON object per row.")

    static let declaration = Declaration(
        "sync", "Push records from one device, pull them by another, and watch edits arrive at its helpers.",
        discussion: """
            Starts the sluiced and sluice-records that lie beside this program, each as its own process, with every commit durable.
            The push is timed from the start of a coordinator that finds the records unsent to its word that all are acknowledged;
            the pull from the start of one with an empty state directory. Both fill their group containers meanwhile. In the end
            both hold the same rows, or the run ends with an error. All processes share the machine's cores.
            """,
        parameters: [rows.declaration, edits.declaration, json.declaration],
        exitCodes: [(.noInput, "sluiced or sluice-records is not there."), (.software, "Something was lost, or is not the same everywhere.")])

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func validate() throws(UsageError) {
        for parameter in [Self.rows, Self.edits] where arguments.required(parameter) < 1 {
            throw UsageError("--\(parameter.declaration.name) must be at least 1")
        }
    }

    func run(_ console: Console) async throws -> ExitCode {
        let folder = try BenchmarkFolder()
        defer { withExtendedLifetime(folder) {} }
        let benchmarks = try await SyncBenchmarks(folder: folder.url, rows: arguments.required(Self.rows), edits: arguments.required(Self.edits))
        try await benchmarks.measure { console.report($0) }.print(to: console, asJSON: arguments.isSet(Self.json))
        return .success
    }
}
