import Glibc
import SluiceCommandLine
import SluiceConfiguration
import SluiceCoordinator

/// `sluice zone forget`: give up what was not sent before a zone was deleted.
struct ZoneForget: AsynchronousCommand {
    private static let yes = Flag("yes", short: "y", help: "Do not ask. Needed where nobody can be asked.")

    static let declaration = Declaration(
        "forget", "Give up what was not sent before the zone was deleted on the service, and begin anew.",
        discussion: "What is given up is readable in history only, for as long as that is kept. `sluice outbox list` shows it.",
        parameters: [yes.declaration] + SyncWait.parameters,
        exitCodes: [(.data, "The zone was not deleted.")] + SyncWait.exitCodes)

    private let wait: SyncWait
    private let isSure: Bool

    init(_ arguments: Arguments) {
        wait = SyncWait(arguments)
        isSure = arguments.isSet(Self.yes)
    }

    func validate() throws(UsageError) {
        guard isSure || isatty(STDIN_FILENO) == 1 else { throw UsageError("say --yes: nobody can be asked here", argument: "forget") }
    }

    func run(_ console: Console) async throws -> ExitCode {
        if !isSure {
            let status: AccountStatus = try await wait.option.client().get("/v1/status")
            console.errors.write("Give up \(status.pending + status.setAsideCount) unsent records of account \(status.account)? [y/N] ".printable)
            guard readLine()?.lowercased().hasPrefix("y") == true else {
                console.report("nothing was done")
                return .success
            }
        }
        return try await wait.tell("/v1/zone/forget", console)
    }
}
