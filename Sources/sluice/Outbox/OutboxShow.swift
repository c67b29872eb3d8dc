import SluiceCommandLine
import SluiceCoordinator

/// `sluice outbox show`: one record's unsent changes.
struct OutboxShow: AsynchronousCommand {
    private static let name = Parameter<String>.positional("RECORD", .one, help: "The record's name.")
    private static let json = Flag("json", help: "Print it as one line of JSON.")

    static let declaration = Declaration(
        "show", "Print what is unsent of one record.",
        discussion: "Its values are printed by `sluice get`, what they were before by `sluice history`.",
        parameters: [
            name.declaration, AccountOption.account.declaration, AccountOption.config.declaration, AccountOption.noWait.declaration,
            json.declaration,
        ],
        exitCodes: [(.noInput, "Nothing of that record waits to be sent.")])

    private let option: AccountOption
    private let name: String
    private let printsJSON: Bool

    init(_ arguments: Arguments) {
        option = AccountOption(arguments)
        name = arguments.required(Self.name)
        printsJSON = arguments.isSet(Self.json)
    }

    func run(_ console: Console) async throws -> ExitCode {
        let entry: OutboxResponse.Entry = try await option.client().get("/v1/outbox/\(name.pathComponent)")
        guard !printsJSON else {
            try console.printJSON(entry)
            return .success
        }
        let lines = [
            ("record", entry.name), ("entity", entry.entity), ("change", entry.change), ("properties", entry.properties.joined(separator: ", ")),
            ("state", OutboxText.state(entry)), ("operation", entry.state == "inFlight" ? entry.detail ?? "" : ""),
            ("since", OutboxText.time(entry.since)), ("attempts", "\(entry.attempts)"),
        ]
        for (key, value) in lines where !value.isEmpty { console.printLine("\(key): \(value)".printable) }
        return .success
    }
}
