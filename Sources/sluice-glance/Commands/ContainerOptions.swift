import FoundationEssentials
package import SluiceCommandLine
package import SluiceReader
package import SluiceSchema

/// Which container, and what it must be like: the options that every command has.
struct ContainerOptions: Sendable {
    static let group = Parameter<String>.option(
        "group", short: "g", value: "NAME", help: "Which group container; without it, the one that SLUICE_GROUP names.")
    static let groupsDirectory = Parameter<String>.option(
        "groups-dir", value: "DIR", help: "Where containers lie, instead of the usual places.")
    static let staleAfter = Parameter<Duration>.option(
        "stale-after", value: "DURATION", help: "Exit with 75 if the last sync is longer ago; what there is is printed all the same.")
    static let requires = Parameter<SchemaVersion>.option(
        "requires", value: "VERSION", help: "Exit with 78 if the schema is older than this version.")

    static let declarations = [group.declaration, groupsDirectory.declaration, staleAfter.declaration, requires.declaration]

    /// What the codes of a helper mean, for the help text.
    static let exitCodes: [(code: ExitCode, meaning: String)] = [
        (.success, "Done."),
        (.usage, "The command line is wrong, or names something that the schema does not have."),
        (.data, "The store or the pointer to it is damaged."),
        (.noInput, "There is no store yet, or no such record in it."),
        (.temporaryFailure, "Migrating with nothing to read, busy, or stale beyond --stale-after."),
        (.noPermission, "This user may not read the container."),
        (.configuration, "The schema is older than --requires, or the store newer than this program."),
    ]

    private let group: String?
    private let groupsDirectory: String?
    private let requiredVersion: SchemaVersion?
    private let staleAfter: Duration?

    init(_ arguments: Arguments) {
        group = arguments.value(of: Self.group)
        groupsDirectory = arguments.value(of: Self.groupsDirectory)
        requiredVersion = arguments.value(of: Self.requires)
        staleAfter = arguments.value(of: Self.staleAfter)
    }

    func container(environment: [String: String]) throws -> GroupContainer {
        guard let name = group ?? environment["SLUICE_GROUP"] else { throw UsageError("missing option", argument: "--group NAME") }
        var container = try GroupContainer.open(name, groupsDirectory: groupsDirectory, environment: environment)
        container.requiredVersion = requiredVersion
        return container
    }

    /// The container's name, for output that says whose it is.
    var name: String { group ?? Environment.ofReaders["SLUICE_GROUP"] ?? "" }

    func status(of group: GroupContainer) -> ContainerStatus { group.status(staleAfter: staleAfter) }

    func watch(_ group: GroupContainer) -> GenerationWatch {
        GenerationWatch(group, staleAfter: staleAfter, pollInterval: .seconds(1))
    }

    func isStale(_ summary: LocalStoreSummary, at now: Date) -> Bool {
        staleAfter.map { summary.isStale(at: now, limit: $0) } ?? false
    }

    /// The code to exit with after everything is printed; says on standard error why it is not success.
    func exitCode(for summary: LocalStoreSummary, at now: Date, console: Console) -> ExitCode {
        reportStaleness(of: summary, at: now, console: console) ? .temporaryFailure : .success
    }

    /// Says on standard error that the last sync is longer ago than was asked for.
    @discardableResult
    func reportStaleness(of summary: LocalStoreSummary, at now: Date, console: Console) -> Bool {
        guard isStale(summary, at: now) else { return false }
        console.report(
            summary.lastSync.map { "stale: the last sync was at \($0.formatted(.iso8601))" } ?? "stale: there was no sync yet")
        return true
    }
}

extension SchemaVersion: ArgumentValue {
    package init?(argument: String) { self.init(argument) }
    package static var expectation: String { "a version such as 1.2.0" }
}

extension ReaderError: ExitCodeProviding {
    package var exitCode: ExitCode { ExitCode(rawValue: exitStatus) }
}
