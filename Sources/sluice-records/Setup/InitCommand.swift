import SluiceCommandLine
import SluiceRecordService
import SluiceRecords

/// `sluice-records init`: makes the data directory, the database and the first API token.
struct InitCommand: AsynchronousCommand {
    static let declaration = Declaration(
        "init", "Make a new service and print its API token.",
        discussion: """
            It is kept in the data directory, or with --storage in a PostgreSQL database that is there already (Deploy/postgresql-setup.sh makes one).
            The token is printed once; the service keeps only its hash.
            """,
        parameters: [Shared.data.declaration, Shared.storage.declaration, Shared.container.declaration, Shared.environment.declaration],
        exitCodes: [(.cannotCreate, "There is a service already.")])

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func run(_ console: Console) async throws -> ExitCode {
        let storage = try arguments.place.create()
        var random = SystemRandomNumberGenerator()
        let token = AccessToken.api(&random)
        try await storage.addToken(
            NewToken(
                .api, digest: token.digest, container: arguments.required(Shared.container),
                environment: arguments.required(Shared.environment)))
        await storage.close()
        console.report("API token for \(arguments.required(Shared.container)), \(arguments.required(Shared.environment).rawValue):")
        console.printLine(token.text)
        return .success
    }
}
