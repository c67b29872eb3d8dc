import Glibc
import SluiceCommandLine
import SluiceCoordinator

/// `sluice outbox drop`: give up what is unsent of one record.
struct OutboxDrop: AsynchronousCommand {
    private static let name = Parameter<String>.positional("RECORD", .one, help: "The record's name.")
    private static let yes = Flag("yes", short: "y", help: "Do not ask. Needed where nobody can be asked.")
    private static let json = Flag("json", help: "Print what becomes of the record as JSON.")

    static let declaration = Declaration(
        "drop", "Give up what is unsent of one record.",
        discussion: """
            An edit gives way to the service's version. A record that the service never had is deleted here, with what cannot be without it. A
            deletion is undone by fetching everything again. What is given up is readable in history only, for as long as that is kept.
            """,
        parameters: [
            name.declaration, yes.declaration, AccountOption.account.declaration, AccountOption.config.declaration,
            AccountOption.noWait.declaration, json.declaration,
        ],
        exitCodes: [
            (.noInput, "Nothing of that record waits to be sent."), (.data, "The record is on its way just now."),
        ])

    private let option: AccountOption
    private let name: String
    private let isSure: Bool
    private let printsJSON: Bool

    init(_ arguments: Arguments) {
        option = AccountOption(arguments)
        name = arguments.required(Self.name)
        isSure = arguments.isSet(Self.yes)
        printsJSON = arguments.isSet(Self.json)
    }

    func validate() throws(UsageError) {
        guard isSure || isatty(STDIN_FILENO) == 1 else { throw UsageError("say --yes: nobody can be asked here", argument: "drop") }
    }

    func run(_ console: Console) async throws -> ExitCode {
        if !isSure {
            let entry: OutboxResponse.Entry = try await option.client().get("/v1/outbox/\(name.pathComponent)")
            console.errors.write("Give up the unsent \(entry.change) of \(entry.entity) \(entry.name)? [y/N] ".printable)
            guard readLine()?.lowercased().hasPrefix("y") == true else {
                console.report("nothing was done")
                return .success
            }
        }
        let response: DropResponse = try await option.client().post("/v1/drop", RecordRequest(name: name))
        guard !printsJSON else {
            try console.printJSON(response)
            return .success
        }
        let text = switch response.outcome {
        case "lookedUp": "the service's version takes its place with the next sync"
        case "removed": "the service never had it: it is gone"
        case "fetchedAnew": "it comes back with the next sync, which fetches everything"
        default: "nothing of it is left here"
        }
        console.printLine("\(response.name): \(text)".printable)
        return .success
    }
}
