import FoundationEssentials
import SluiceCommandLine
import SluiceReader
import SluiceSchema

/// `sluice-glance list ENTITY`
struct ListCommand: SynchronousCommand {
    static let entity = Parameter<String>.positional("ENTITY", help: "Whose rows; those of its subentities are among them.")
    static let order = Parameter<String>.option("order", value: "TERMS", help: "As in 'price desc, title'.")
    static let limit = Parameter<Int>.option(
        "limit", short: "n", value: "COUNT", default: "1000", help: "How many rows at most; 0 for all, which takes memory for all.")

    static let declaration = Declaration(
        "list", "Print rows.", discussion: QueryOptions.discussion,
        parameters: [entity.declaration, QueryOptions.filter.declaration, order.declaration, limit.declaration]
            + RowOptions.declarations + ContainerOptions.declarations,
        exitCodes: ContainerOptions.exitCodes)

    private let entity: String
    private let limit: Int
    private let query: QueryOptions
    private let rows: RowOptions
    private let container: ContainerOptions

    init(_ arguments: Arguments) {
        entity = arguments.required(Self.entity)
        limit = arguments.required(Self.limit)
        query = QueryOptions(filter: arguments.value(of: QueryOptions.filter), order: arguments.value(of: Self.order))
        rows = RowOptions(arguments)
        container = ContainerOptions(arguments)
    }

    func validate() throws(UsageError) {
        if limit < 0 { throw UsageError("a limit is not negative", argument: "--limit") }
        _ = try query.rowFilter()
        _ = try query.rowOrder()
        try rows.validate()
    }

    func run(_ console: Console) throws -> ExitCode {
        let filter = try query.rowFilter()
        let order = try query.rowOrder()
        let layout = try rows.layout()
        let container = try self.container.container(environment: ProcessInfo.processInfo.environment)
        // Printed after the read has ended: whoever takes the output may be slow, and must not hold the store.
        let result = try container.read { snapshot -> (printer: RowPrinter, rows: [StoredRow], total: Int, summary: LocalStoreSummary) in
            func printer(of entity: Entity) throws -> RowPrinter {
                try RowPrinter(layout, fields: rows.fields, entity: entity, schema: snapshot.schema)
            }
            let known = try snapshot.schema.entity(named: entity).map(printer)
            // What is not printed is not read. An entity that nobody knows is refused here.
            let found = try snapshot.rows(
                of: entity, where: filter, order: order, limit: limit == 0 ? nil : limit, attributes: known?.attributes)
            let printer = try known ?? printer(of: Entity(entity))
            let total = found.count == limit ? try snapshot.count(of: entity, where: filter) : found.count
            return (printer, found, total, snapshot.summary)
        }
        try result.printer.print(result.rows, on: console)
        if result.total > result.rows.count { console.report("\(result.rows.count) of \(result.total) rows; --limit 0 prints all") }
        return self.container.exitCode(for: result.summary, at: Date(), console: console)
    }
}
