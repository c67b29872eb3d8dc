import FoundationEssentials
import SluiceCommandLine
import SluiceReader
import SluiceSchema

/// `sluice-glance count ENTITY`
struct CountCommand: SynchronousCommand {
    static let entity = Parameter<String>.positional("ENTITY", help: "Whose rows; those of its subentities are counted too.")
    static let json = Flag("json", short: "j", help: "Print a JSON object.")

    static let declaration = Declaration(
        "count", "Print how many rows there are.", discussion: QueryOptions.discussion,
        parameters: [entity.declaration, QueryOptions.filter.declaration, json.declaration] + ContainerOptions.declarations,
        exitCodes: ContainerOptions.exitCodes)

    private let entity: String
    private let isJSON: Bool
    private let query: QueryOptions
    private let container: ContainerOptions

    init(_ arguments: Arguments) {
        entity = arguments.required(Self.entity)
        isJSON = arguments.isSet(Self.json)
        query = QueryOptions(filter: arguments.value(of: QueryOptions.filter), order: nil)
        container = ContainerOptions(arguments)
    }

    func validate() throws(UsageError) { _ = try query.rowFilter() }

    func run(_ console: Console) throws -> ExitCode {
        let filter = try query.rowFilter()
        let container = try self.container.container(environment: ProcessInfo.processInfo.environment)
        let (count, summary) = try container.read { (try $0.count(of: entity, where: filter), $0.summary) }
        if isJSON {
            try console.printJSON(["count": count])
        } else {
            console.printLine("\(count)")
        }
        return self.container.exitCode(for: summary, at: Date(), console: console)
    }
}
