import SluiceCommandLine
import SluiceReader
import SluiceSchema

/// `sluice-glance count ENTITY`
struct CountCommand: SynchronousCommand {
    static let entity = Parameter<String>.positional("ENTITY", help: "Whose rows; those of its subentities are counted too.")

    static let declaration = Declaration(
        "count", "Print how many rows there are.", discussion: QueryText.discussion + "\nA template may name {{count}}, {{total}} and {{percentage}}.",
        parameters: [entity.declaration, QueryText.filter.declaration] + FormatOptions.declarations + ContainerOptions.declarations,
        exitCodes: ContainerOptions.exitCodes)

    private let entity: String
    private let filter: String?
    private let format: FormatOptions
    private let container: ContainerOptions

    init(_ arguments: Arguments) {
        entity = arguments.required(Self.entity)
        filter = arguments.value(of: QueryText.filter)
        format = FormatOptions(arguments)
        container = ContainerOptions(arguments)
    }

    private func question() throws(UsageError) -> CountQuestion {
        CountQuestion(entity: entity, filterText: filter, format: format.format, templateFields: try format.template()?.fields)
    }

    func validate() throws(UsageError) { try question().validate(format) }

    func run(_ console: Console) throws -> ExitCode { try Presenter(format, container).run(try question(), on: console) }
}

/// How many rows, and of how many.
struct CountQuestion: Question {
    let entity: String
    let filterText: String?
    let format: OutputFormat
    /// What a template names.
    let templateFields: [String]?

    static let names = ["count", "total", "percentage"]

    func validate(_ options: FormatOptions) throws(UsageError) {
        try options.validate(names: Self.names)
        _ = try QueryText.filter(filterText)
    }

    /// Of all rows where there is no condition; then only a template asks for it.
    private var needsTotal: Bool {
        guard filterText == nil else { return format == .template || format.bar != nil }
        return templateFields?.contains { $0 != "count" } == true
    }

    func ask(_ container: GroupContainer) throws -> Answer {
        let filter = try QueryText.filter(filterText)
        return try container.ask { snapshot in
            let count = try snapshot.count(of: entity, where: filter)
            var values = [("count", ScalarForm.integer(Int64(count)))]
            // All rows are counted only where somebody may ask for their number.
            guard needsTotal else { return Answer(content: .values(values), summary: snapshot.summary) }
            let total = filter == nil ? count : try snapshot.count(of: entity)
            let percentage = total == 0 ? 0 : count * 100 / total
            values += [("total", .integer(Int64(total))), ("percentage", .integer(Int64(percentage)))]
            return Answer(content: .values(values), summary: snapshot.summary, percentage: percentage)
        }
    }
}
