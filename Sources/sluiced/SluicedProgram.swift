import Foundation
import Glibc
import SluiceCommandLine
import SluiceConfiguration
import SluiceCoordinator
import SluiceDaemon

/// The `sluiced` program: the coordinator.
@main
enum SluicedProgram {
    static func main() async {
        await Program(only: Serve.self).runAwaiting(Array(CommandLine.arguments.dropFirst()), console: .standard).exit()
    }
}

/// Runs the accounts of a configuration directory until SIGTERM.
struct Serve: AsynchronousCommand {
    private static let config = Parameter<String>.option(
        "config", value: "DIR", help: "The configuration directory; its accounts.d holds the account files.\nDefault: $XDG_CONFIG_HOME/sluice, else /etc/sluice.")
    private static let account = Parameter<String>.option(
        "account", value: "NAME", help: "Run this account alone; its failure to start is then the program's.")

    static let declaration = Declaration(
        "sluiced", "Run the coordinator: sync accounts and fill the stores that helpers read.",
        discussion: """
            SIGHUP reads the configuration again. SIGTERM ends within five seconds: work is finished or rolled back, and
            nothing that was acknowledged is lost. Logs go to stderr with journald's priority prefixes.
            """,
        parameters: [config.declaration, account.declaration],
        exitCodes: [
            (.success, "Ended by SIGTERM or SIGINT."), (.configuration, "With --account: the account could not be started."),
        ])

    private let config: String?
    private let account: String?

    init(_ arguments: Arguments) {
        config = arguments.value(of: Self.config)
        account = arguments.value(of: Self.account)
    }

    func run(_ console: Console) async throws -> ExitCode {
        let source = SignalStream([SIGTERM, SIGINT, SIGHUP])
        // An account has about a dozen files open.
        DescriptorLimit.raise()
        let variables = ProcessInfo.processInfo.environment
        let environment = ConfigurationEnvironment(variables: variables)
        let manager = ServiceManagerNotification(socketPath: variables["NOTIFY_SOCKET"])
        let directory = config ?? environment.configurationDirectory
        // The service manager is asked for this much more time whenever a long start makes progress.
        let coordinator = Coordinator(
            version: Release.version, progress: { manager.extendTimeout(by: .seconds(60)) }, log: { console.report($0.journalText) },
            load: { [account] in Coordinator.loads(in: directory, only: account, environment) })
        console.report(LogLine.notice("sluiced \(Release.version): configuration in \(directory)").journalText)
        let failures = await coordinator.run(
            signals: source.values.map { $0 == SIGHUP ? .reload : .stop }, endsWithoutAccounts: account != nil,
            ready: { manager.ready() }, stopping: { manager.stopping() })
        return account != nil && failures > 0 ? .configuration : .success
    }
}
