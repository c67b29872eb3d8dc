import Foundation
import SluiceCommandLine
import SluiceCoordinator

/// `sluice outbox list`: what waits to be sent, and why it has not gone.
struct OutboxList: AsynchronousCommand {
    private static let limit = Parameter<Int>.option("limit", value: "N", help: "At most so many records. Default: all.")
    private static let setAside = Flag("set-aside", help: "Only records that the service refused for good.")
    private static let json = Flag("json", help: "Print each record as one line of JSON.")

    static let declaration = Declaration(
        "list", "Print which records have unsent changes, and why they have not gone.",
        parameters: [
            limit.declaration, setAside.declaration, AccountOption.account.declaration, AccountOption.config.declaration,
            AccountOption.noWait.declaration, json.declaration,
        ])

    private let option: AccountOption
    private let limit: Int
    private let onlySetAside: Bool
    private let printsJSON: Bool

    init(_ arguments: Arguments) {
        option = AccountOption(arguments)
        limit = arguments.value(of: Self.limit) ?? .max
        onlySetAside = arguments.isSet(Self.setAside)
        printsJSON = arguments.isSet(Self.json)
    }

    func run(_ console: Console) async throws -> ExitCode {
        let client = try option.client()
        var table = Table([.init("RECORD"), .init("ENTITY"), .init("CHANGE"), .init("STATE"), .init("SINCE"), .init("PROPERTIES")])
        var (position, count): (Int64?, Int) = (0, 0)
        while let after = position, count < limit {
            let path = "/v1/outbox?after=\(after)&limit=\(min(1_000, limit - count))\(onlySetAside ? "&setAside=1" : "")"
            let page: OutboxResponse = try await client.get(path)
            for entry in page.entries {
                guard !printsJSON else {
                    try console.printJSON(entry)
                    continue
                }
                table.append([
                    entry.name, entry.entity, entry.change, OutboxText.state(entry), OutboxText.time(entry.since),
                    entry.properties.joined(separator: ", "),
                ])
            }
            count += page.entries.count
            position = page.position
        }
        guard !printsJSON else { return .success }
        if count == 0 { console.printLine("nothing waits to be sent") } else { for line in table.lines { console.printLine(line) } }
        return .success
    }
}

/// How entries of the outbox are told to people.
enum OutboxText {
    static func time(_ milliseconds: Int64?) -> String {
        milliseconds.map { Date(timeIntervalSince1970: Double($0) / 1_000).formatted(.iso8601) } ?? ""
    }

    static func state(_ entry: OutboxResponse.Entry) -> String {
        switch entry.state {
        case "inFlight": "on its way"
        case "lookUp": "to be looked up"
        case "later": "not before \(time(entry.detail.flatMap(Int64.init)))"
        case "setAside": "set aside: \(entry.detail ?? "")".printable
        default: entry.state
        }
    }
}
