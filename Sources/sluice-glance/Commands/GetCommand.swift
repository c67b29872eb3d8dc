import SluiceCommandLine
import SluiceReader
import SluiceSchema

/// `sluice-glance get NAME`
struct GetCommand: SynchronousCommand {
    static let name = Parameter<String>.positional("NAME", help: "A record name; a UUID in either case.")

    static let declaration = Declaration(
        "get", "Print one record.",
        parameters: [name.declaration, RowSelection.fields.declaration, RowSelection.percentage.declaration] + FormatOptions.declarations
            + ContainerOptions.declarations,
        exitCodes: ContainerOptions.exitCodes)

    private let arguments: Arguments
    private let format: FormatOptions

    init(_ arguments: Arguments) {
        self.arguments = arguments
        format = FormatOptions(arguments)
    }

    func validate() throws(UsageError) { try format.validate() }

    func run(_ console: Console) throws -> ExitCode {
        let question = RecordQuestion(
            name: RecordName(arguments.required(Self.name)), fields: FieldNames.names(arguments.value(of: RowSelection.fields)),
            templateFields: try format.template()?.fields, percentage: arguments.value(of: RowSelection.percentage))
        return try Presenter(format, ContainerOptions(arguments)).run(question, on: console)
    }
}

/// The record of one name.
struct RecordQuestion: Question {
    let name: RecordName
    let fields: [String]?
    let templateFields: [String]?
    let percentage: String?

    /// The record that was asked for is not in the store.
    struct NoSuchRecord: ExitCodeProviding, CustomStringConvertible {
        let name: RecordName
        let exitCode = ExitCode.noInput
        var description: String { "there is no record \(name.text.printable) in this container" }
    }

    func ask(_ container: GroupContainer) throws -> Answer {
        try container.ask { snapshot in
            // Which properties there are to print, the row's entity says; only those are read.
            guard let found = try snapshot.row(named: name, attributes: []) else { throw NoSuchRecord(name: name) }
            let entity = snapshot.schema.entity(named: found.entity) ?? Entity(found.entity)
            let more = (templateFields ?? []) + (percentage.map { [$0] } ?? [])
            let selected = try RowFields(fields ?? templateFields, and: more, entity: entity, schema: snapshot.schema)
            let wanted = selected.isSelected ? Set(selected.names + more) : nil
            let row = try snapshot.row(named: name, attributes: wanted) ?? found
            return Answer(
                content: .row(row, selected), summary: snapshot.summary, percentage: RowSelection.share(percentage.flatMap { row.double($0) }))
        }
    }
}
