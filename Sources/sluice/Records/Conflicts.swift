import SluiceCommandLine
import SluiceCoordinator

/// `sluice conflicts`: what two sides did to one record without knowing of each other, and what became of it.
struct Conflicts: AsynchronousCommand {
    private static let record = Parameter<String>.positional("RECORD", .optional, help: "Only those of this record.")
    private static let limit = Parameter<Int>.option("limit", value: "N", default: "100", help: "At most so many.")
    private static let json = Flag("json", help: "Print each as one line of JSON.")

    static let declaration = Declaration(
        "conflicts", "Print what merges decided, the newest first.",
        discussion: """
            Where two devices changed the same field, or one deleted what the other edited, or two made records with the same unique values. The
            account keeps the newest 1,000, with values of up to 1,000 characters.
            """,
        parameters: [
            record.declaration, limit.declaration, AccountOption.account.declaration, AccountOption.config.declaration,
            AccountOption.noWait.declaration, json.declaration,
        ])

    private let option: AccountOption
    private let record: String?
    private let limit: Int
    private let printsJSON: Bool

    init(_ arguments: Arguments) {
        option = AccountOption(arguments)
        record = arguments.value(of: Self.record)
        limit = arguments.required(Self.limit)
        printsJSON = arguments.isSet(Self.json)
    }

    func run(_ console: Console) async throws -> ExitCode {
        let client = try option.client()
        var table = Table([.init("TIME"), .init("RECORD"), .init("ENTITY"), .init("WHAT"), .init("STANDS"), .init("HERE"), .init("THERE")])
        var (position, count): (Int64?, Int) = (.max, 0)
        while let before = position, count < limit {
            let name = record.map { "&record=\($0.pathComponent)" } ?? ""
            let page: ConflictsResponse = try await client.get("/v1/conflicts?before=\(before)&limit=\(min(1_000, limit - count))\(name)")
            for conflict in page.conflicts {
                guard !printsJSON else {
                    try console.printJSON(conflict)
                    continue
                }
                table.append([
                    OutboxText.time(conflict.time), conflict.name, conflict.entity, Self.what(conflict), conflict.outcome, conflict.here ?? "",
                    conflict.there ?? "",
                ])
            }
            count += page.conflicts.count
            position = page.position
        }
        guard !printsJSON else { return .success }
        if count == 0 { console.printLine("no conflicts are known") } else { for line in table.lines { console.printLine(line) } }
        return .success
    }

    private static func what(_ conflict: ConflictsResponse.Conflict) -> String {
        switch conflict.kind {
        case "field": conflict.property ?? ""
        case "unique": "merged into \(conflict.heir ?? "")"
        default: "edited and deleted"
        }
    }
}
