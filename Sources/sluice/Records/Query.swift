import SluiceCommandLine
import SluiceCoordinator

/// `sluice query`: records of one entity.
struct Query: AsynchronousCommand {
    private static let entity = Parameter<String>.positional("ENTITY", .one, help: "The kind of record.")
    private static let filter = Parameter<String>.option(
        "where", value: "CONDITION", help: "Only records for which this holds, such as 'price > 3 && title contains \"milk\"'.")
    private static let order = Parameter<String>.option("order", value: "ORDER", help: "Such as 'price descending, title'.")
    private static let limit = Parameter<Int>.option("limit", value: "N", help: "At most so many records.")
    private static let count = Flag("count", help: "Print only how many there are.")
    private static let json = Flag("json", help: "Print each record as one line of JSON.")

    static let declaration = Declaration(
        "query", "Print the records of an entity.",
        parameters: [
            entity.declaration, filter.declaration, order.declaration, limit.declaration, count.declaration,
            AccountOption.account.declaration, AccountOption.config.declaration, AccountOption.noWait.declaration, json.declaration,
        ])

    private let option: AccountOption
    private let request: QueryRequest
    private let printsJSON: Bool

    init(_ arguments: Arguments) {
        option = AccountOption(arguments)
        request = QueryRequest(
            entity: arguments.required(Self.entity), filter: arguments.value(of: Self.filter), order: arguments.value(of: Self.order),
            limit: arguments.value(of: Self.limit), countOnly: arguments.isSet(Self.count))
        printsJSON = arguments.isSet(Self.json)
    }

    func validate() throws(UsageError) {
        if let limit = request.limit, limit < 1 { throw UsageError("a limit is at least 1", argument: "\(limit)") }
    }

    func run(_ console: Console) async throws -> ExitCode {
        let response: QueryResponse = try await option.client().post("/v1/query", request)
        if request.countOnly {
            console.printLine("\(response.count)")
            return .success
        }
        for row in response.rows {
            if printsJSON { try console.printJSON(row) } else { for line in row.lines { console.printLine(line) } }
        }
        if response.isTruncated { console.report("only the first \(response.rows.count) of \(response.count) records were printed: set a limit or a condition") }
        return .success
    }
}
