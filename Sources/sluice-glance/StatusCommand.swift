import FoundationEssentials
import SluiceCommandLine
import SluiceReader
import SluiceSchema

/// `sluice-glance status`
struct StatusCommand: SynchronousCommand {
    static let json = Flag("json", short: "j", help: "Print a JSON object.")

    static let declaration = Declaration(
        "status", "Print what there is to read, and how old it is.", parameters: [json.declaration] + ContainerOptions.declarations,
        exitCodes: ContainerOptions.exitCodes)

    private let isJSON: Bool
    private let container: ContainerOptions

    init(_ arguments: Arguments) {
        isJSON = arguments.isSet(Self.json)
        container = ContainerOptions(arguments)
    }

    func run(_ console: Console) throws -> ExitCode {
        let container = try self.container.container(environment: ProcessInfo.processInfo.environment)
        let status = container.status()
        let report = StatusReport(status)
        if isJSON {
            try console.printJSON(report)
        } else {
            for (name, value) in report.lines { console.printLine("\(name): \(value)") }
        }
        switch status {
        case .current(let summary): return self.container.exitCode(for: summary, at: Date(), console: console)
        case .migrating: return .temporaryFailure
        case .noStore: return .noInput
        case .unavailable(let error): return error.exitCode
        }
    }
}

/// A status as it is printed; its JSON keys are a contract.
private struct StatusReport: Encodable {
    let state: String
    var problem: String?
    var stage: Int?
    var stageCount: Int?
    var stageName: String?
    var file: String?
    var schema: String?
    var schemaVersion: String?
    var generation: Int64?
    var lastSync: String?

    init(_ status: ContainerStatus) {
        switch status {
        case .noStore: state = "none"
        case .current(let summary):
            state = "current"
            describe(summary)
        case .migrating(let progress, let summary):
            state = "migrating"
            stage = progress.stage
            stageCount = progress.stageCount
            stageName = progress.stageName
            if let summary { describe(summary) }
        case .unavailable(let error):
            state = "unavailable"
            problem = "\(error)"
        }
    }

    private mutating func describe(_ summary: LocalStoreSummary) {
        file = summary.file
        schema = summary.schemaName
        schemaVersion = summary.schemaVersion.description
        generation = summary.generation
        lastSync = summary.lastSync?.formatted(.iso8601)
    }

    var lines: [(name: String, value: String)] {
        let migration = stage.flatMap { stage in stageCount.map { "\(stage) of \($0)" + (stageName.map { " (\($0))" } ?? "") } }
        let values: [(String, String?)] = [
            ("state", state), ("problem", problem), ("stage", migration), ("store", file), ("schema", schema),
            ("schema version", schemaVersion), ("generation", generation.map { "\($0)" }), ("last sync", lastSync),
        ]
        return values.compactMap { name, value in value.map { (name, $0) } }
    }
}
