import Foundation
import SluiceCommandLine
import SluiceConfiguration
import SluiceCoordinator

/// `sluice status`: what each account is doing, one line each, and what to do where something is wrong.
struct Status: AsynchronousCommand {
    private static let json = Flag("json", help: "Print each account as one line of JSON.")
    private static let counts = Flag("counts", help: "Also count the rows of each entity.")
    private static let digest = Flag("digest", help: "Also print the digest over all records in wire form:\ntwo devices that are in step have the same.")

    static let declaration = Declaration(
        "status", "Show what each account is doing.",
        parameters: [
            AccountOption.account.declaration, AccountOption.config.declaration, counts.declaration, digest.declaration, json.declaration,
        ],
        exitCodes: [
            (.success, "Every account is in step or at work."), (.temporaryFailure, "An account waits, or its store migrates."),
            (.unavailable, "An account is blocked, or no coordinator answers for it."),
        ])

    private let option: AccountOption
    private let printsJSON: Bool
    private let query: String

    init(_ arguments: Arguments) {
        option = AccountOption(arguments)
        printsJSON = arguments.isSet(Self.json)
        query = "?counts=\(arguments.isSet(Self.counts) ? 1 : 0)&digest=\(arguments.isSet(Self.digest) ? 1 : 0)"
    }

    func run(_ console: Console) async throws -> ExitCode {
        var statuses: [AccountStatus] = []
        for (name, configuration) in try option.accounts() {
            do {
                let client = try ControlClient(account: name, stateDirectory: configuration.synced.stateDirectory)
                statuses.append(try await client.get("/v1/status" + query))
            } catch let failure as ControlFailure {
                var status = AccountStatus(account: name, state: failure.code == "unavailable" ? "stopped" : "blocked")
                status.reason = failure.message
                statuses.append(status)
            }
        }
        if printsJSON { for status in statuses { try console.printJSON(status) } } else { print(statuses, console) }
        if statuses.contains(where: { ["blocked", "quarantined", "stopped"].contains($0.state) }) { return .unavailable }
        return statuses.contains { $0.state == "waiting" || $0.state == "migrating" } ? .temporaryFailure : .success
    }

    private func print(_ statuses: [AccountStatus], _ console: Console) {
        var table = Table([
            .init("ACCOUNT"), .init("STATE"), .init("PENDING", isRightAligned: true), .init("SET ASIDE", isRightAligned: true),
            .init("INBOX", isRightAligned: true), .init("LAST SUCCESS"),
        ])
        for status in statuses {
            let last = status.lastSuccess.map { Date(timeIntervalSince1970: Double($0) / 1_000).formatted(.iso8601) } ?? "never"
            table.append([
                status.account, status.state, "\(status.pending)", "\(status.setAsideCount)", "\(status.inbox + status.parked)", last,
            ])
        }
        for line in table.lines { console.printLine(line) }
        for status in statuses { printDetails(of: status, console) }
    }

    private func printDetails(of status: AccountStatus, _ console: Console) {
        let prefix = "\(status.account): "
        if let reason = status.reason { console.printLine(prefix + reason.printable) }
        if let migration = status.migration {
            console.printLine(prefix + "stage \(migration.stage) of \(migration.stageCount), \(migration.name)".printable)
        }
        if let advice = status.advice { console.printLine(prefix + advice.printable) }
        if let proxy = status.proxy { console.printLine(prefix + "through the proxy \(proxy)") }
        if let problem = status.groupProblem { console.printLine(prefix + "group container: " + problem.printable) }
        if let values = status.keyValues, values.reason != nil || values.pending > 0 {
            let reason = values.reason.map { ", \($0)" } ?? ""
            console.printLine((prefix + "synced values: \(values.state), \(values.pending) pending\(reason)").printable)
        }
        for source in status.legacy {
            let rows = source.rows.map { ", \($0) rows" } ?? ""
            console.printLine(prefix + "legacy store \(source.source): \(source.state)\(rows)\(source.reason.map { " (\($0))" } ?? "")".printable)
        }
        for record in status.setAside {
            console.printLine(prefix + "set aside \(record.entity) \(record.name): \(record.reason)".printable)
        }
        for (entity, count) in status.entities.sorted(by: { $0.key < $1.key }) { console.printLine("\(entity.printable) \(count)") }
        if let digest = status.digest { console.printLine("digest \(digest)") }
    }
}
