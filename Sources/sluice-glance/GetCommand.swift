import FoundationEssentials
import SluiceCommandLine
import SluiceReader
import SluiceSchema

/// `sluice-glance get NAME`
struct GetCommand: SynchronousCommand {
    static let name = Parameter<String>.positional("NAME", help: "A record name; a UUID in either case.")

    static let declaration = Declaration(
        "get", "Print one record.", parameters: [name.declaration] + RowOptions.declarations + ContainerOptions.declarations,
        exitCodes: ContainerOptions.exitCodes)

    /// The record that was asked for is not in the store.
    struct NoSuchRecord: ExitCodeProviding, CustomStringConvertible {
        let name: RecordName
        let exitCode = ExitCode.noInput
        var description: String { "there is no record \(name) in this container" }
    }

    private let name: RecordName
    private let rows: RowOptions
    private let container: ContainerOptions

    init(_ arguments: Arguments) {
        name = RecordName(arguments.required(Self.name))
        rows = RowOptions(arguments)
        container = ContainerOptions(arguments)
    }

    func validate() throws(UsageError) { try rows.validate() }

    func run(_ console: Console) throws -> ExitCode {
        let layout = try rows.layout()
        let container = try self.container.container(environment: ProcessInfo.processInfo.environment)
        let (printer, row, summary) = try container.read { snapshot -> (RowPrinter, StoredRow, LocalStoreSummary) in
            // Which properties there are to print, the row's entity says; only those are read.
            guard let found = try snapshot.row(named: name, attributes: []) else { throw NoSuchRecord(name: name) }
            let entity = snapshot.schema.entity(named: found.entity) ?? Entity(found.entity)
            let printer = try RowPrinter(layout, fields: rows.fields, entity: entity, schema: snapshot.schema)
            let row = try snapshot.row(named: name, attributes: printer.attributes) ?? found
            return (printer, row, snapshot.summary)
        }
        try printer.print([row], on: console)
        return self.container.exitCode(for: summary, at: Date(), console: console)
    }
}
