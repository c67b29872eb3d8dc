import SluiceCommandLine
import SluiceRecordService
import SluiceRecords

/// `sluice-records schema show`: what records of a container look like.
struct SchemaShowCommand: AsynchronousCommand {
    static let json = Flag("json", help: "Print one JSON object per field.")
    static let declaration = Declaration(
        "show", "Show record types and their fields.",
        discussion: "In development what was written so far; in production what was deployed, and nothing where every record is taken.",
        parameters: [json.declaration] + Shared.place + [Shared.container.declaration, Shared.environment.declaration],
        exitCodes: [(.noInput, "There is no service in the data directory.")])

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    private struct Row: Encodable {
        let recordType: String
        let field: String
        let type: String
    }

    func run(_ console: Console) async throws -> ExitCode {
        let storage = try arguments.place.open()
        let (container, environment) = (arguments.required(Shared.container), arguments.required(Shared.environment))
        let fields = try await storage.recordFields(of: container, environment)
        await storage.close()
        if arguments.isSet(Self.json) {
            for field in fields where !field.name.isEmpty {
                try console.printJSON(Row(recordType: field.recordType, field: field.name, type: field.valueType))
            }
            return .success
        }
        if fields.isEmpty {
            console.report(
                environment == .production
                    ? "nothing was deployed to \(container): production takes every record"
                    : "nothing was written to \(container) in development yet")
        }
        for field in fields { console.printLine(field.text) }
        return .success
    }
}

/// `sluice-records schema deploy`: from now on production takes what development knows, and what it took before.
struct SchemaDeployCommand: AsynchronousCommand {
    static let dryRun = Flag("dry-run", help: "Print what would be added, and add nothing.")
    static let declaration = Declaration(
        "deploy", "Fix production to what development has learnt.",
        discussion: """
            Prints what is added, one line each, and adds it; nothing ever goes. From the first time on, production refuses record types, fields and types of
            values that were not deployed: try the new release of an app in development, deploy, then give it to people. A running service knows at once.
            """,
        parameters: [dryRun.declaration] + Shared.place + [Shared.container.declaration],
        exitCodes: [(.noInput, "There is no service in the data directory, or development has learnt nothing.")])

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func run(_ console: Console) async throws -> ExitCode {
        let storage = try arguments.place.open()
        let container = arguments.required(Shared.container)
        let learnt = try await storage.recordFields(of: container, .development)
        let deployed = Set(try await storage.recordFields(of: container, .production))
        let added = learnt.filter { !deployed.contains($0) }
        for field in added { console.printLine("+ \(field.text)") }
        let isDeployed = !added.isEmpty && !arguments.isSet(Self.dryRun)
        if isDeployed { try await storage.addRecordFields(added, to: container, .production) }
        await storage.close()
        guard !learnt.isEmpty else {
            console.report("sluice-records: \(container) has learnt nothing in development; write a record of each type there first")
            return .noInput
        }
        let state = isDeployed ? "deployed" : added.isEmpty ? "production has all of it" : "not deployed"
        console.report("\(added.count) of \(learnt.count) record types and fields are new: \(state)")
        return .success
    }
}

extension RecordField {
    /// `Note`, or `Note.title STRING`.
    fileprivate var text: String { name.isEmpty ? recordType : "\(recordType).\(name) \(valueType)" }
}
