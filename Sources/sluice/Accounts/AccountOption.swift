import Foundation
import SluiceCommandLine
import SluiceConfiguration
import SluiceCoordinator

/// Which account a command is about, and the way to its coordinator.
struct AccountOption: Sendable {
    static let account = Parameter<String>.option(
        "account", short: "a", value: "NAME", help: "The account. Default: the only one that is configured.")
    static let config = Parameter<String>.option(
        "config", value: "DIR", help: "The configuration directory. Default: $XDG_CONFIG_HOME/sluice, else /etc/sluice.")

    /// For commands that ask the coordinator about rows.
    static let noWait = Flag("no-wait", help: "While the store migrates, exit with 75 at once instead of waiting for it.")

    private let name: String?
    private let directory: String?
    private let waits: Bool

    init(_ arguments: Arguments) {
        name = arguments.value(of: Self.account)
        directory = arguments.value(of: Self.config)
        waits = !arguments.isSet(Self.noWait)
    }

    init(name: String?, directory: String?) {
        self.name = name
        self.directory = directory
        waits = true
    }

    private var environment: ConfigurationEnvironment { ConfigurationEnvironment(variables: ProcessInfo.processInfo.environment) }

    /// The accounts that are meant: the named one, or all.
    func accounts() throws -> [(name: String, configuration: AccountConfiguration)] {
        try loadedAccounts().map { entry in
            let configuration = try entry.result.get()
            return (configuration.name, configuration)
        }
    }

    /// The same, with those whose files have faults.
    func loadedAccounts() throws -> [LoadedAccount] {
        let accountsDirectory = (directory ?? environment.configurationDirectory) + "/accounts.d"
        let loaded = try AccountConfiguration.loadAll(in: accountsDirectory, environment).filter { name == nil || Self.name(of: $0) == name }
        guard !loaded.isEmpty else {
            throw AccountProblem(name.map { "there is no account \($0) in \(accountsDirectory)" } ?? "no account is configured in \(accountsDirectory)")
        }
        return loaded
    }

    static func name(of account: LoadedAccount) -> String { URL(filePath: account.file).deletingPathExtension().lastPathComponent }

    func configuration() throws -> AccountConfiguration {
        let accounts = try accounts()
        guard accounts.count == 1, let account = accounts.first else {
            throw AccountProblem("several accounts are configured (\(accounts.map(\.name).joined(separator: ", "))): name one with --account")
        }
        return account.configuration
    }

    /// The coordinator of the one account that is meant.
    func client() throws -> ControlClient {
        let configuration = try configuration()
        return try ControlClient(account: configuration.name, stateDirectory: configuration.synced.stateDirectory, waits: waits)
    }
}

struct AccountProblem: ExitCodeProviding, CustomStringConvertible {
    let description: String
    var exitCode: ExitCode { .configuration }

    init(_ description: String) { self.description = description }
}

extension ControlFailure: ExitCodeProviding {
    /// What scripts tell failures apart by.
    var exitCode: ExitCode {
        switch code {
        case "badRequest": .usage
        case "notFound": .noInput
        case "refused": .data
        case "unavailable": .unavailable
        case "migrating": .temporaryFailure
        case "storage": .inputOutput
        default: .software
        }
    }
}

extension ConfigurationError: ExitCodeProviding {
    var exitCode: ExitCode { .configuration }
}
