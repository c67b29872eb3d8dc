import SluiceCommandLine

/// `sluice-glance list ENTITY`
struct ListCommand: SynchronousCommand {
    static let declaration = Declaration(
        "list", "Print rows.", discussion: QueryText.discussion,
        parameters: [RowSelection.entity.declaration, QueryText.filter.declaration] + RowSelection.options + FormatOptions.declarations
            + ContainerOptions.declarations,
        exitCodes: ContainerOptions.exitCodes)

    private let command: RowsCommand

    init(_ arguments: Arguments) {
        command = RowsCommand(
            arguments, entity: arguments.required(RowSelection.entity), filter: arguments.value(of: QueryText.filter))
    }

    func validate() throws(UsageError) { try command.validate() }
    func run(_ console: Console) throws -> ExitCode { try command.run(console) }
}

/// `sluice-glance query ENTITY FILTER`
struct QueryCommand: SynchronousCommand {
    static let filter = Parameter<String>.positional("FILTER", help: "The condition that rows meet.")

    static let declaration = Declaration(
        "query", "Print the rows that meet a condition.", discussion: QueryText.discussion,
        parameters: [RowSelection.entity.declaration, filter.declaration] + RowSelection.options + FormatOptions.declarations
            + ContainerOptions.declarations,
        exitCodes: ContainerOptions.exitCodes)

    private let command: RowsCommand

    init(_ arguments: Arguments) {
        command = RowsCommand(arguments, entity: arguments.required(RowSelection.entity), filter: arguments.required(Self.filter))
    }

    func validate() throws(UsageError) { try command.validate() }
    func run(_ console: Console) throws -> ExitCode { try command.run(console) }
}

/// What both do.
private struct RowsCommand: Sendable {
    private let arguments: Arguments
    private let entity: String
    private let filter: String?
    private let format: FormatOptions

    init(_ arguments: Arguments, entity: String, filter: String?) {
        self.arguments = arguments
        self.entity = entity
        self.filter = filter
        format = FormatOptions(arguments)
    }

    private func selection() throws(UsageError) -> RowSelection {
        RowSelection(arguments, entity: entity, filter: filter, template: try format.template())
    }

    func validate() throws(UsageError) {
        try format.validate()
        try selection().validate()
    }

    func run(_ console: Console) throws -> ExitCode {
        try Presenter(format, ContainerOptions(arguments)).run(try selection(), on: console)
    }
}
