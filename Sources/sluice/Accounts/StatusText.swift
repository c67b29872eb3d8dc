import Foundation
import SluiceCommandLine
import SluiceCoordinator

/// What `sluice status` prints for people.
enum StatusText {
    /// A table, and below it what there is to say of each.
    static func lines(_ statuses: [AccountStatus]) -> [String] {
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
        return table.lines + statuses.flatMap(details)
    }

    private static func details(of status: AccountStatus) -> [String] {
        var lines: [String] = []
        let prefix = "\(status.account): "
        if let reason = status.reason { lines.append(prefix + reason.printable) }
        if let migration = status.migration {
            lines.append(prefix + "stage \(migration.stage) of \(migration.stageCount), \(migration.name)".printable)
        }
        if let advice = status.advice { lines.append(prefix + advice.printable) }
        if let metadata = status.metadataAdvice { lines.append(prefix + metadata) }
        if let proxy = status.proxy { lines.append(prefix + "through the proxy \(proxy)") }
        if let problem = status.groupProblem { lines.append(prefix + "group container: " + problem.printable) }
        if let values = status.keyValues, values.reason != nil || values.pending > 0 {
            let reason = values.reason.map { ", \($0)" } ?? ""
            lines.append((prefix + "synced values: \(values.state), \(values.pending) pending\(reason)").printable)
        }
        for source in status.legacy {
            let rows = source.rows.map { ", \($0) rows" } ?? ""
            lines.append(prefix + "legacy store \(source.source): \(source.state)\(rows)\(source.reason.map { " (\($0))" } ?? "")".printable)
        }
        for record in status.setAside {
            lines.append(prefix + "set aside \(record.entity) \(record.name): \(record.reason)".printable)
        }
        for (entity, count) in status.entities.sorted(by: { $0.key < $1.key }) { lines.append("\(entity.printable) \(count)") }
        if let digest = status.digest { lines.append("digest \(digest)") }
        return lines
    }

    /// One line of a log: when, which account, and what it does now.
    static func line(_ status: AccountStatus, at time: Date) -> String {
        var words = [time.formatted(.iso8601), status.account, status.state, "pending \(status.pending)"]
        if status.setAsideCount > 0 { words.append("set aside \(status.setAsideCount)") }
        if status.inbox + status.parked > 0 { words.append("inbox \(status.inbox + status.parked)") }
        for text in [status.reason, status.groupProblem.map { "group container: \($0)" }] { if let text { words.append(text) } }
        return words.joined(separator: " ").printable
    }
}
