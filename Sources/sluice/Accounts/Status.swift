import Foundation
import SluiceCommandLine
import SluiceConfiguration
import SluiceCoordinator

/// `sluice status`: what each account is doing, one line each, and what to do where something is wrong.
struct Status: AsynchronousCommand {
    private static let json = Flag("json", help: "Print each account as one line of JSON.")
    private static let watch = Flag("watch", help: "Go on, and print each change; on a terminal the table is redrawn.")
    private static let counts = Flag("counts", help: "Also count the rows of each entity.")
    private static let digest = Flag("digest", help: "Also print the digest over all records in wire form:\ntwo devices that are in step have the same.")

    static let declaration = Declaration(
        "status", "Show what each account is doing.",
        parameters: [
            AccountOption.account.declaration, AccountOption.config.declaration, watch.declaration, counts.declaration, digest.declaration,
            json.declaration,
        ],
        exitCodes: [
            (.success, "Every account is in step or at work."), (.temporaryFailure, "An account waits, or its store migrates."),
            (.unavailable, "An account is blocked, or no coordinator answers for it."),
        ])

    private let option: AccountOption
    private let isWatching: Bool
    private let isDetailed: Bool
    private let printsJSON: Bool
    private let query: String

    init(_ arguments: Arguments) {
        option = AccountOption(arguments)
        isWatching = arguments.isSet(Self.watch)
        isDetailed = arguments.isSet(Self.counts) || arguments.isSet(Self.digest)
        printsJSON = arguments.isSet(Self.json)
        query = "?counts=\(arguments.isSet(Self.counts) ? 1 : 0)&digest=\(arguments.isSet(Self.digest) ? 1 : 0)"
    }

    func validate() throws(UsageError) {
        if isWatching, isDetailed { throw UsageError("rows are not counted anew at each change: leave --counts and --digest", argument: "--watch") }
    }

    func run(_ console: Console) async throws -> ExitCode {
        let accounts = try option.accounts()
        if isWatching { return try await StatusWatch(accounts, printsJSON: printsJSON).run(console) }
        var statuses: [AccountStatus] = []
        for account in accounts {
            let view = AccountView(account)
            statuses.append(try await view.status(query, from: view.client()))
        }
        if printsJSON {
            for status in statuses { try console.printJSON(status) }
        } else {
            for line in StatusText.lines(statuses) { console.printLine(line) }
        }
        if statuses.contains(where: { ["blocked", "quarantined", "stopped"].contains($0.state) }) { return .unavailable }
        return statuses.contains { $0.state == "waiting" || $0.state == "migrating" } ? .temporaryFailure : .success
    }
}
