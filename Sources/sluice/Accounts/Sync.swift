import SluiceCommandLine
import SluiceConfiguration
import SluiceCoordinator

/// `sluice sync`: look now, and wait until everything is in step.
struct Sync: AsynchronousCommand {
    private static let release = Flag(
        "release", help: "After the account was quarantined for crashes: let it run again.\nWithout a coordinator it is released for the next start.")

    static let declaration = Declaration(
        "sync", "Sync now, and wait until everything is in step.", parameters: SyncWait.parameters + [release.declaration],
        exitCodes: SyncWait.exitCodes)

    private let wait: SyncWait
    private let isReleasing: Bool

    init(_ arguments: Arguments) {
        wait = SyncWait(arguments)
        isReleasing = arguments.isSet(Self.release)
    }

    func run(_ console: Console) async throws -> ExitCode {
        if isReleasing {
            let account = try wait.option.configuration()
            let wasQuarantined = try FlightRecorder.release(stateDirectory: account.synced.stateDirectory)
            console.report("account \(account.name) \(wasQuarantined ? "is released" : "is not quarantined")")
        }
        return try await wait.tell("/v1/sync", console)
    }
}
