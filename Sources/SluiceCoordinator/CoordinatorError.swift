/// Why an account, or the coordinator, cannot run; what happened, to which thing, and what to do next.
package enum CoordinatorError: Error, Sendable, CustomStringConvertible {
    case directoryUnusable(path: String, detail: String)
    case networkFileSystem(path: String, kind: String)
    case alreadyRunning(account: String, holder: Int32?)
    case quarantined(account: String, crashes: Int)
    case noSuchAccount(String)
    case socketUnusable(path: String, detail: String)
    case belongsElsewhere(account: String, service: String)
    case schemaUnavailable(account: String, detail: String)
    case storeUnavailable(account: String, detail: String)
    case notMigrated(account: String, detail: String)

    package var description: String {
        switch self {
        case .directoryUnusable(let path, let detail): "\(path) cannot be used: \(detail). Check its owner and mode"
        case .networkFileSystem(let path, let kind):
            "\(path) is on a network file system (\(kind)), where SQLite's locks do not hold: put the state directory on a local disk"
        case .alreadyRunning(let account, let holder):
            "account \(account) is run by another coordinator\(holder.map { " (process \($0))" } ?? ""): stop that one first"
        case .quarantined(let account, let crashes):
            "account \(account) was in flight at \(crashes) crashes in a row and is not started: see the log, then run "
                + "`sluice sync --account \(account) --release`"
        case .noSuchAccount(let name): "there is no account \(name): check the name and the account files"
        case .socketUnusable(let path, let detail): "the control socket \(path) cannot be used: \(detail)"
        case .belongsElsewhere(let account, let service):
            "the rows of account \(account) belong to \(service): they are not sent anywhere else. Use another account name"
        case .schemaUnavailable(let account, let detail): "account \(account) has no schema: \(detail)"
        case .notMigrated(let account, let detail):
            "the store of account \(account) was not migrated and is as it was: \(detail). Mend that, then run `sluice sync --account \(account)`"
        case .storeUnavailable(let account, let detail): "the store of account \(account) cannot be opened: \(detail)"
        }
    }
}
