import Foundation
import SluiceCommandLine
import SluiceConfiguration
import SluiceCoordinator

/// `sluice doctor`: what is wrong with accounts and their machine, one line per finding, each with the command that mends it.
struct Doctor: SynchronousCommand {
    private static let deep = Flag("deep", help: "Read all of each store and of its values; takes as long as that.")
    private static let json = Flag("json", help: "Print each finding as one line of JSON: account, severity, finding, remedy.")

    static let declaration = Declaration(
        "doctor", "Find what is wrong with accounts, and how to mend it.",
        discussion: """
            Looks at directories, their owners and modes, at stores and backups, at credentials and the clock. It changes nothing, and a
            coordinator may run meanwhile. Whether the service answers is for `sluice status`.
            """,
        parameters: [AccountOption.account.declaration, AccountOption.config.declaration, deep.declaration, json.declaration],
        exitCodes: [
            (.success, "Nothing was found."), (.data, "A store is damaged."), (.configuration, "Something else is to be mended."),
        ])

    private let option: AccountOption
    private let isDeep: Bool
    private let printsJSON: Bool

    init(_ arguments: Arguments) {
        option = AccountOption(arguments)
        isDeep = arguments.isSet(Self.deep)
        printsJSON = arguments.isSet(Self.json)
    }

    func run(_ console: Console) throws -> ExitCode {
        var findings: [HealthFinding] = []
        let accounts = try option.loadedAccounts()
        for account in accounts {
            switch account.result {
            case .success(let configuration): findings += AccountHealth(configuration, isDeep: isDeep).findings()
            case .failure(let error): findings += AccountHealth.findings(in: error, account: AccountOption.name(of: account))
            }
        }
        findings += AccountHealth.machine()
        for finding in findings {
            guard !printsJSON else {
                try console.printJSON(finding)
                continue
            }
            let prefix = finding.account.map { "\($0): " } ?? ""
            console.printLine("\(prefix)\(finding.severity.rawValue): \(finding.finding.printable). Mend it: \(finding.remedy)".printable)
        }
        let count = findings.count
        let summary = count == 0 ? "nothing found" : count == 1 ? "1 finding" : "\(count) findings"
        console.report("\(accounts.count) accounts looked at, \(summary)")
        if findings.contains(where: { $0.severity == .damage }) { return .data }
        return findings.isEmpty ? .success : .configuration
    }
}
