import Foundation
import SluiceCommandLine
import SluicePostgreSQL
import SluiceRecordService

/// `sluice-bench storage`: what a storage of the record service does in a second, without HTTP and TLS before it.
struct StorageCommand: AsynchronousCommand {
    private static let storage = Parameter<String>.option(
        "storage", value: "URL", help: "A PostgreSQL database to measure beside SQLite; the tables get a schema of their own, which goes afterwards.")
    private static let records = Parameter<Int>.option("records", short: "n", value: "COUNT", default: "50000", help: "Records that are inserted and read.")
    private static let seconds = Parameter<Int>.option(
        "seconds", short: "s", value: "SECONDS", default: "5", help: "How long each of the last three rows takes.")
    private static let json = Flag("json", help: "Print one JSON object per row and storage.")

    static let declaration = Declaration(
        "storage", "Write to the storage of a record service and read from it, as fast as it goes.",
        discussion: """
            Every commit is durable when it is counted. Records are looked for afterwards: all of them have to be there. Rates
            depend on disk and cores, and on who else uses them; there is no goal.
            """,
        parameters: [storage.declaration, records.declaration, seconds.declaration, json.declaration],
        exitCodes: [(.software, "A storage lost something.")])

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func validate() throws(UsageError) {
        for parameter in [Self.records, Self.seconds] where arguments.required(parameter) < 1 {
            throw UsageError("--\(parameter.declaration.name) must be at least 1")
        }
    }

    func run(_ console: Console) async throws -> ExitCode {
        let target = try arguments.value(of: Self.storage).map { text throws(PostgreSQLError) in
            try PostgreSQLTarget(text, schema: "sluice_bench_\(UInt32.random(in: .min ... .max))")
        }
        let folder = try BenchmarkFolder()
        defer { withExtendedLifetime(folder) {} }
        try await measure(SQLiteRecordStorage.open(path: folder.url.appending(path: "records.sqlite").path), as: "SQLite", console)
        if let target { try await measure(target, console) }
        return .success
    }

    private func measure(_ target: PostgreSQLTarget, _ console: Console) async throws {
        let storage = try PostgreSQLRecordStorage.open(target, creates: true)
        do { try await measure(storage, as: "PostgreSQL", console) } catch {
            try PostgreSQLRecordStorage.remove(target)
            throw error
        }
        try PostgreSQLRecordStorage.remove(target)
    }

    private struct Row: Encodable {
        let storage: String
        let work: String
        let perSecond: Double
    }

    private func measure(_ storage: any RecordStorage, as name: String, _ console: Console) async throws {
        let load = StorageLoad(storage, records: arguments.required(Self.records), duration: .seconds(arguments.required(Self.seconds)))
        do {
            for (work, rate) in try await load.rates() {
                if arguments.isSet(Self.json) {
                    try console.printJSON(Row(storage: name, work: work, perSecond: rate))
                } else {
                    console.printLine("\(name): \(work): \(Int(rate))/s")
                }
            }
        } catch {
            await storage.close()
            throw error
        }
        await storage.close()
    }
}
