import SluiceCommandLine
import SluiceCoordinator

/// `sluice delete`: one record, and what its delete rules take along.
struct Delete: AsynchronousCommand {
    private static let name = Parameter<String>.positional("RECORD", .one, help: "The record's name.")
    private static let json = Flag("json", help: "Print how many records were deleted as JSON.")

    static let declaration = Declaration(
        "delete", "Delete one record, and what its delete rules take along.",
        parameters: [
            name.declaration, AccountOption.account.declaration, AccountOption.config.declaration, AccountOption.noWait.declaration,
            json.declaration,
        ],
        exitCodes: [(.noInput, "There is no such record."), (.data, "A delete rule forbids it.")])

    private let option: AccountOption
    private let name: String
    private let printsJSON: Bool

    init(_ arguments: Arguments) {
        option = AccountOption(arguments)
        name = arguments.required(Self.name)
        printsJSON = arguments.isSet(Self.json)
    }

    func run(_ console: Console) async throws -> ExitCode {
        let response: DeleteResponse = try await option.client().post("/v1/delete", RecordRequest(name: name))
        if printsJSON { try console.printJSON(response) } else {
            console.printLine(response.deleted == 1 ? "1 record deleted" : "\(response.deleted) records deleted")
        }
        return .success
    }
}
