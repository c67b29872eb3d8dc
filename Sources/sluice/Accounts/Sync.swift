import SluiceCommandLine
import SluiceConfiguration
import SluiceCoordinator

/// `sluice sync`: look now, and wait until everything is in step.
struct Sync: AsynchronousCommand {
    private static let json = Flag("json", help: "Print the account's status as JSON.")
    private static let noWait = Flag("no-wait", help: "Do not wait until everything is in step.")
    private static let recreateZone = Flag(
        "recreate-zone", help: "After the zone was deleted on the service: make it again and send everything.")
    private static let release = Flag(
        "release", help: "After the account was quarantined for crashes: let it run again.\nWithout a coordinator it is released for the next start.")

    static let declaration = Declaration(
        "sync", "Sync now, and wait until everything is in step.",
        parameters: [
            AccountOption.account.declaration, AccountOption.config.declaration, noWait.declaration, recreateZone.declaration,
            release.declaration, json.declaration,
        ],
        exitCodes: [
            (.success, "Everything is in step."), (.temporaryFailure, "The account waits; it is tried again by itself."),
            (.unavailable, "The account is blocked until somebody acts, or no coordinator answers."),
        ])

    private let option: AccountOption
    private let request: SyncRequest
    private let isReleasing: Bool
    private let printsJSON: Bool

    init(_ arguments: Arguments) {
        option = AccountOption(arguments)
        request = SyncRequest(waits: !arguments.isSet(Self.noWait), recreatesZone: arguments.isSet(Self.recreateZone))
        isReleasing = arguments.isSet(Self.release)
        printsJSON = arguments.isSet(Self.json)
    }

    func run(_ console: Console) async throws -> ExitCode {
        if isReleasing {
            let account = try option.configuration()
            let wasQuarantined = try FlightRecorder.release(stateDirectory: account.synced.stateDirectory)
            console.report("account \(account.name) \(wasQuarantined ? "is released" : "is not quarantined")")
        }
        let status: AccountStatus = try await option.client().post("/v1/sync", request)
        if printsJSON { try console.printJSON(status) } else { console.printLine("\(status.account): \(status.state)") }
        if let reason = status.reason { console.report(reason.printable) }
        if let advice = status.advice { console.report(advice.printable) }
        switch status.state {
        case "waiting": return .temporaryFailure
        case "blocked", "quarantined": return .unavailable
        default: return .success
        }
    }
}
