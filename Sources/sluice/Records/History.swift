import SluiceCommandLine
import SluiceCoordinator

/// `sluice history`: the change log, from a position on.
struct History: AsynchronousCommand {
    private static let after = Parameter<Int>.option("after", value: "POSITION", help: "Begin behind this position. Default: the beginning.")
    private static let limit = Parameter<Int>.option("limit", value: "N", help: "At most so many changes; 1,000 is the most. Default: 100.")
    private static let json = Flag("json", help: "Print each change as one line of JSON.")

    static let declaration = Declaration(
        "history", "Print which records changed, in order.",
        parameters: [
            after.declaration, limit.declaration, AccountOption.account.declaration, AccountOption.config.declaration,
            AccountOption.noWait.declaration, json.declaration,
        ])

    private let option: AccountOption
    private let after: Int
    private let limit: Int
    private let printsJSON: Bool

    init(_ arguments: Arguments) {
        option = AccountOption(arguments)
        after = arguments.value(of: Self.after) ?? 0
        limit = arguments.value(of: Self.limit) ?? 100
        printsJSON = arguments.isSet(Self.json)
    }

    func run(_ console: Console) async throws -> ExitCode {
        let response: HistoryResponse = try await option.client().get("/v1/history?after=\(after)&limit=\(limit)")
        if printsJSON {
            for change in response.changes { try console.printJSON(change) }
            return .success
        }
        var table = Table([.init("POSITION", isRightAligned: true), .init("KIND"), .init("ORIGIN"), .init("ENTITY"), .init("RECORD")])
        for change in response.changes {
            table.append(["\(change.position)", change.kind, change.origin, change.entity, change.name ?? ""])
        }
        for line in table.lines { console.printLine(line) }
        return .success
    }
}
