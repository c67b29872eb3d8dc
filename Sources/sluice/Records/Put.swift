import Foundation
import SluiceCommandLine
import SluiceCoordinator
import SluiceSchema

/// `sluice put`: insert a record or change one.
struct Put: AsynchronousCommand {
    private static let entity = Parameter<String>.positional("ENTITY", .one, help: "The kind of record.")
    private static let values = Parameter<String>.positional(
        "PROPERTY=VALUE", .any,
        help: "Values by property. Of a to-one relationship a record name, of a to-many\nrecord names with commas between them. Dates are ISO 8601, data is base64.")
    private static let name = Parameter<String>.option(
        "name", value: "RECORD", help: "The record's name. Default: what its identity says, else a new one.")
    private static let null = Parameter<String>.option("null", value: "PROPERTY", isRepeatable: true, help: "Clear this property.")
    private static let json = Flag("json", help: "Print the record's name and what was done as JSON.")

    static let declaration = Declaration(
        "put", "Insert a record, or change the one with that name, identity or unique values.",
        discussion: "When it returns, the change is on disk; the coordinator sends it when it can.",
        parameters: [
            entity.declaration, values.declaration, name.declaration, null.declaration, AccountOption.account.declaration,
            AccountOption.config.declaration, AccountOption.noWait.declaration, json.declaration,
        ])

    private let option: AccountOption
    private let entity: String
    private let texts: [String]
    private let name: String?
    private let cleared: [String]
    private let printsJSON: Bool

    init(_ arguments: Arguments) {
        option = AccountOption(arguments)
        entity = arguments.required(Self.entity)
        texts = arguments.values(of: Self.values)
        name = arguments.value(of: Self.name)
        cleared = arguments.values(of: Self.null)
        printsJSON = arguments.isSet(Self.json)
    }

    func validate() throws(UsageError) {
        for text in texts where !text.contains("=") {
            throw UsageError("a value is written PROPERTY=VALUE", argument: text)
        }
    }

    func run(_ console: Console) async throws -> ExitCode {
        var properties: [String: ScalarForm] = [:]
        for text in texts {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            properties[String(parts[0])] = .string(String(parts[1]))
        }
        for property in cleared { properties[property] = .null }
        let response: PutResponse = try await option.client().post(
            "/v1/put", PutRequest(entity: entity, name: name, properties: properties))
        if printsJSON { try console.printJSON(response) } else { console.printLine("\(response.name) \(response.outcome)") }
        return .success
    }
}
