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
        _ = try QueryText.filter(filter)
    }

    /// nil where the status itself is the answer.
    private func question() throws(UsageError) -> (any Question)? {
        guard let entity else { return nil }
        if arguments.isSet(Self.count) { return CountQuestion(entity: entity, filterText: filter, format: format.format) }
        return RowSelection(arguments, entity: entity, filter: filter, template: try format.template())
    }

    func run(_ console: Console) throws -> ExitCode {
        let group = try container.container(environment: Environment.ofReaders)
        let presenter = try Presenter(format, container)
        let question = try question()
        let watch = container.watch(group)
        var answers = 0
        presenter.begin(on: console)
        // A pipe whose reader has gone ends the watch, though nothing is written.
        while let status = watch.next(whileOpen: console.output.descriptor) {
            try answer(status, question, presenter, group, console)
            if let end = presenter.end { console.printLine(end) }
            guard console.output.flush() else { break }
            answers += 1
            if answers == answersWanted { return ExitCode(rawValue: question == nil || status.summary == nil ? status.exitStatus : 0) }
        }
        return .success
    }

    private func answer(
        _ status: ContainerStatus, _ question: (any Question)?, _ presenter: Presenter, _ group: GroupContainer, _ console: Console
    ) throws {
        guard let question else { return try presenter.present(StatusReport.answer(status, in: group), on: console) }
        do {
            if let problem = status.problem(in: group.directory) {
                try presenter.presentProblem(status, in: group, on: console)
                return console.report("sluice-glance: \(problem)")
            }
            try presenter.present(try question.ask(group), on: console)
        } catch let error as ReaderError where error.exitStatus != ExitCode.usage.rawValue {
            // It went in between; the next status follows.
            try presenter.presentProblem(ContainerStatus(error), in: group, on: console)
            console.report("sluice-glance: \(error)")
        }
    }
}
