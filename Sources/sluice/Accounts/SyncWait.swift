import SluiceCommandLine
import SluiceCoordinator

/// What the commands share that set sync going and wait until everything is in step.
struct SyncWait {
    private static let json = Flag("json", help: "Print the account's status as JSON.")
    private static let noWait = Flag("no-wait", help: "Do not wait until everything is in step.")

    static let parameters = [AccountOption.account.declaration, AccountOption.config.declaration, noWait.declaration, json.declaration]
    static let exitCodes: [(ExitCode, String)] = [
        (.success, "Everything is in step."), (.temporaryFailure, "The account waits; it is tried again by itself."),
        (.unavailable, "The account is blocked until somebody acts, or no coordinator answers."),
    ]

    let option: AccountOption
    private let request: SyncRequest
    private let printsJSON: Bool

    init(_ arguments: Arguments) {
        option = AccountOption(arguments)
        request = SyncRequest(waits: !arguments.isSet(Self.noWait))
        printsJSON = arguments.isSet(Self.json)
    }

    /// Asks for it at that path of the control socket, and prints how the account stands then.
    func tell(_ path: String, _ console: Console) async throws -> ExitCode {
        let status: AccountStatus = try await option.client().post(path, request)
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
