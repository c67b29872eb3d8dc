import FoundationEssentials
import SluiceCommandLine
import SluiceReader

/// `sluice-glance watch [ENTITY]`
struct WatchCommand: SynchronousCommand {
    static let entity = Parameter<String>.positional("ENTITY", .optional, help: "Whose rows; without one, the status is printed.")
    static let count = Flag("count", short: "c", help: "Print how many rows there are instead of the rows.")
    static let generations = Parameter<Int>.option(
        "generations", value: "COUNT", help: "End after so many answers; without it, it ends when nobody takes its output.")

    static let declaration = Declaration(
        "watch", "Print an answer now, and again for every new generation.",
        discussion: QueryText.discussion + """

            Where there is nothing to read, a bar gets an item that says so, and other formats get a line on standard error.
            """,
        parameters: [entity.declaration, QueryText.filter.declaration, count.declaration, generations.declaration] + RowSelection.options
            + FormatOptions.declarations + ContainerOptions.declarations,
        exitCodes: ContainerOptions.exitCodes)

    private let arguments: Arguments
    private let entity: String?
    private let filter: String?
    private let answersWanted: Int?
    private let format: FormatOptions
    private let container: ContainerOptions

    init(_ arguments: Arguments) {
        self.arguments = arguments
        entity = arguments.value(of: Self.entity)
        filter = arguments.value(of: QueryText.filter)
        answersWanted = arguments.value(of: Self.generations)
        format = FormatOptions(arguments)
        container = ContainerOptions(arguments)
    }

    func validate() throws(UsageError) {
        try format.validate()
        if let answersWanted, answersWanted < 1 { throw UsageError("at least one answer", argument: "--generations") }
        if entity == nil, filter != nil { throw UsageError("a condition needs an entity", argument: "--where") }
        if entity == nil, arguments.isSet(Self.count) { throw UsageError("what is counted is an entity's", argument: "--count") }
        guard let entity else { return try format.validate(names: StatusReport.names) }
        if arguments.isSet(Self.count) { try countQuestion(entity).validate(format) } else { try selection(entity).validate() }
    }

    /// nil where the status itself is the answer.
    private func question() throws(UsageError) -> (any Question)? {
        guard let entity else { return nil }
        if arguments.isSet(Self.count) { return try countQuestion(entity) }
        return try selection(entity)
    }

    private func selection(_ entity: String) throws(UsageError) -> RowSelection {
        RowSelection(arguments, entity: entity, filter: filter, template: try format.template())
    }

    private func countQuestion(_ entity: String) throws(UsageError) -> CountQuestion {
        CountQuestion(entity: entity, filterText: filter, format: format.format, templateFields: try format.template()?.fields)
    }

    func run(_ console: Console) throws -> ExitCode {
        let group = try container.container(environment: Environment.ofReaders)
        let presenter = try Presenter(format, container, isFollowing: true)
        let question = try question()
        let watch = container.watch(group)
        var answers = 0
        presenter.begin(on: console)
        // A pipe whose reader has gone ends the watch, though nothing is written.
        while let status = watch.next(whileOpen: console.output.descriptor) {
            let code = try answer(status, question, presenter, group, console)
            guard console.output.flush() else { break }
            answers += 1
            if answers == answersWanted { return code }
        }
        return .success
    }

    /// Prints one answer.
    /// - Returns: what the command would exit with if this were all.
    private func answer(
        _ status: ContainerStatus, _ question: (any Question)?, _ presenter: Presenter, _ group: GroupContainer, _ console: Console
    ) throws -> ExitCode {
        guard let question else {
            try presenter.present(StatusReport.answer(status, in: group), on: console)
            return ExitCode(rawValue: status.exitStatus)
        }
        if let problem = status.problem(in: group.directory) {
            try presenter.presentProblem(status, in: group, on: console)
            console.report("sluice-glance: \(problem)")
            return ExitCode(rawValue: status.exitStatus)
        }
        do {
            // A problem has its item by then, where there are items.
            return try presenter.run(question, on: console)
        } catch let error as ReaderError where error.exitStatus != ExitCode.usage.rawValue {
            // It went in between; the next status follows.
            console.report("sluice-glance: \(error)")
            return error.exitCode
        }
    }
}
