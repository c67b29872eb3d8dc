import SluiceCommandLine
import SluicePostgreSQL
import SluiceRecordService

/// `sluice-records new-epoch`: tells every device that the service's memory is not what it was.
struct NewEpochCommand: AsynchronousCommand {
    static let declaration = Declaration(
        "new-epoch", "Begin a new timeline, after a PostgreSQL database was restored from a copy.",
        discussion: """
            Every device fetches everything once more and sends what the service has lost. Run it once after a restore, before or while the service
            runs: without it a device notices only as soon as its place in the feed is written again. An embedded service needs it never: a copy that
            `backup` makes has a timeline of its own.
            """,
        parameters: [Shared.storage.declaration], exitCodes: [(.noInput, "There is no service in the database."), (.inputOutput, "It cannot be reached.")])

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func validate() throws(UsageError) {
        if arguments.value(of: Shared.storage) == nil { throw UsageError("say which database was restored", argument: "--storage") }
    }

    func run(_ console: Console) async throws -> ExitCode {
        let target = try arguments.value(of: Shared.storage).map { try PostgreSQLTarget($0) }
        let storage = try ServicePlace(directory: DataDirectory(path: ""), target: target).open()
        try await (storage as? PostgreSQLRecordStorage)?.beginEpoch()
        await storage.close()
        console.report("a new epoch has begun")
        return .success
    }
}
