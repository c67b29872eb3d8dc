import SluiceCommandLine
import SluiceConfiguration
import SluiceCoordinator

/// `sluice zone recreate`: make a deleted zone again.
struct ZoneRecreate: AsynchronousCommand {
    static let declaration = Declaration(
        "recreate", "Make a zone again that was deleted on the service, and send what is here.",
        discussion: """
            What was not sent before the deletion is sent. Rows that the service had are gone here too; after `sluice restore` of a backup they are
            here again, and all of them are sent.
            """,
        parameters: SyncWait.parameters, exitCodes: SyncWait.exitCodes)

    private let wait: SyncWait

    init(_ arguments: Arguments) { wait = SyncWait(arguments) }

    func run(_ console: Console) async throws -> ExitCode { try await wait.tell("/v1/zone/recreate", console) }
}
