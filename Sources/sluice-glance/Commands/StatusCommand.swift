import FoundationEssentials
import SluiceCommandLine
import SluiceReader
import SluiceSchema

/// `sluice-glance status`
struct StatusCommand: SynchronousCommand {
    static let declaration = Declaration(
        "status", "Print what there is to read, and how old it is.",
        discussion: "A template may name \(StatusReport.names.map { "{{\($0)}}" }.joined(separator: ", ")).",
        parameters: FormatOptions.declarations + ContainerOptions.declarations, exitCodes: ContainerOptions.exitCodes)

    private let format: FormatOptions
    private let container: ContainerOptions

    init(_ arguments: Arguments) {
        format = FormatOptions(arguments)
        container = ContainerOptions(arguments)
    }

    func validate() throws(UsageError) { try format.validate(names: StatusReport.names) }

    func run(_ console: Console) throws -> ExitCode {
        let group = try container.container(environment: Environment.ofReaders)
        let status = container.status(of: group)
        try Presenter(format, container).present(StatusReport.answer(status, in: group), on: console)
        console.output.flush()
        if let summary = status.summary { container.reportStaleness(of: summary, at: Date(), console: console) }
        return ExitCode(rawValue: status.exitStatus)
    }
}

/// A status as named values; the names are a contract.
enum StatusReport {
    static let names = ["state", "problem", "stage", "stageCount", "stageName", "store", "schema", "schemaVersion", "generation", "lastSync"]

    static func answer(_ status: ContainerStatus, in group: GroupContainer) -> Answer {
        var values: [String: ScalarForm] = ["state": .string(status.word)]
        values["problem"] = status.problem(in: group.directory).map(ScalarForm.string)
        if case .migrating(let progress, _) = status {
            values["stage"] = .integer(Int64(progress.stage))
            values["stageCount"] = .integer(Int64(progress.stageCount))
            values["stageName"] = .string(progress.stageName)
        }
        if let summary = status.summary {
            values["store"] = .string(summary.file)
            values["schema"] = .string(summary.schemaName)
            values["schemaVersion"] = .string(summary.schemaVersion.description)
            values["generation"] = .integer(summary.generation)
            values["lastSync"] = summary.lastSync.map { .string($0.formatted(.iso8601)) }
        }
        return Answer(content: .values(names.map { ($0, values[$0] ?? .null) }), summary: status.summary)
    }
}
