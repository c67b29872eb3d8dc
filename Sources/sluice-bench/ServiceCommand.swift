import Foundation
import SluiceCommandLine

/// `sluice-bench service`: `sluice-records serve` as a process, over TLS.
struct ServiceCommand: AsynchronousCommand {
    private static let seconds = Parameter<Int>.option("seconds", short: "s", value: "SECONDS", default: "5", help: "How long each load lasts.")
    private static let polls = Parameter<Int>.option("polls", value: "COUNT", default: "2000", help: "Long polls that wait at once.")
    private static let json = Flag("json", help: "Print one JSON object per row.")

    static let declaration = Declaration(
        "service", "Write to a record service and read from it over TLS, beside a C loop that commits as many writers' rows in groups.",
        discussion: """
            Starts the sluice-records that lies beside this program, on embedded SQLite. Every write is durable when it is
            answered, and is looked for afterwards. Clients are one thread of C. Client and service share the machine's cores,
            the C loop has no client: the ratio says what HTTP, TLS and the rules of the dialect cost together.
            """,
        parameters: [seconds.declaration, polls.declaration, json.declaration],
        exitCodes: [(.noInput, "sluice-records is not there."), (.software, "An answer was wrong, or something was lost.")])

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func validate() throws(UsageError) {
        guard arguments.required(Self.seconds) >= 1 else { throw UsageError("--seconds must be at least 1") }
        guard (1...8_000).contains(arguments.required(Self.polls)) else { throw UsageError("--polls is 1 to 8000") }
    }

    func run(_ console: Console) async throws -> ExitCode {
        let folder = try BenchmarkFolder()
        defer { withExtendedLifetime(folder) {} }
        let benchmarks = try await ServiceBenchmarks(
            folder: folder.url, seconds: Double(arguments.required(Self.seconds)), polls: arguments.required(Self.polls))
        try await benchmarks.measure().print(to: console, asJSON: arguments.isSet(Self.json))
        return .success
    }
}
