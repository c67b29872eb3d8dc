import SluiceCommandLine
import SluiceCoordinator

/// `sluice outbox retry`: send again what the service refused for good.
struct OutboxRetry: AsynchronousCommand {
    private static let name = Parameter<String>.positional("RECORD", .optional, help: "The record's name. Default: every record that was set aside.")
    private static let json = Flag("json", help: "Print how many records go again as JSON.")

    static let declaration = Declaration(
        "retry", "Send records again that the service refused for good.",
        discussion: "Mend the cause first: one that is refused again is set aside again. An edit of the record lets it go, too.",
        parameters: [
            name.declaration, AccountOption.account.declaration, AccountOption.config.declaration, AccountOption.noWait.declaration,
            json.declaration,
        ],
        exitCodes: [(.noInput, "That record was not set aside.")])

    private let option: AccountOption
    private let name: String?
    private let printsJSON: Bool

    init(_ arguments: Arguments) {
        option = AccountOption(arguments)
        name = arguments.value(of: Self.name)
        printsJSON = arguments.isSet(Self.json)
    }

    func run(_ console: Console) async throws -> ExitCode {
        let response: RetryResponse = try await option.client().post("/v1/retry", RetryRequest(name: name))
        if printsJSON { try console.printJSON(response) } else {
            console.printLine(response.count == 1 ? "1 record goes again" : "\(response.count) records go again")
        }
        return .success
    }
}
