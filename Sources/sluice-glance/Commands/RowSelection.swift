import SluiceCommandLine
import SluiceReader
import SluiceSchema

/// Which rows of an entity, in which order, how many, and which of their properties.
struct RowSelection: Question {
    static let entity = Parameter<String>.positional("ENTITY", help: "Whose rows; those of its subentities are among them.")
    static let fields = Parameter<String>.option(
        "fields", short: "f", value: "NAMES", help: "Which properties, with commas between them; _name and _entity are the record's own.")
    static let order = Parameter<String>.option("order", value: "TERMS", help: "As in 'price desc, title'.")
    static let limit = Parameter<Int>.option(
        "limit", short: "n", value: "COUNT", default: "1000", help: "How many rows at most; 0 for all, which takes memory for all.")
    static let percentage = Parameter<String>.option(
        "percentage", value: "PROPERTY", help: "A number of the first row that is an item's percentage, for waybar.")

    static let options = [fields.declaration, order.declaration, limit.declaration, percentage.declaration]

    let entity: String
    let filterText: String?
    let orderText: String?
    let limit: Int
    let fields: [String]?
    let percentage: String?
    /// Where a template names the fields.
    let templateFields: [String]?

    init(_ arguments: Arguments, entity: String, filter: String?, template: RowTemplate?) {
        self.entity = entity
        filterText = filter
        orderText = arguments.value(of: Self.order)
        limit = arguments.required(Self.limit)
        fields = FieldNames.names(arguments.value(of: Self.fields))
        percentage = arguments.value(of: Self.percentage)
        templateFields = template?.fields
    }

    func validate() throws(UsageError) {
        if limit < 0 { throw UsageError("a limit is not negative", argument: "--limit") }
        _ = try QueryText.filter(filterText)
        _ = try QueryText.order(orderText)
    }

    func ask(_ container: GroupContainer) throws -> Answer {
        let filter = try QueryText.filter(filterText)
        let order = try QueryText.order(orderText)
        let more = (templateFields ?? []) + (percentage.map { [$0] } ?? [])
        return try container.ask { snapshot in
            func selected(_ entity: Entity) throws -> RowFields {
                try RowFields(fields ?? templateFields, and: more, entity: entity, schema: snapshot.schema)
            }
            let known = try snapshot.schema.entity(named: entity).map(selected)
            // What is not printed is not read. An entity that nobody knows is refused here.
            let found = try snapshot.rows(
                of: entity, where: filter, order: order, limit: limit == 0 ? nil : limit,
                attributes: known.flatMap { $0.isSelected ? Set($0.names + more) : nil })
            let total = found.count == limit ? try snapshot.count(of: entity, where: filter) : found.count
            var answer = Answer(content: .rows(found, try known ?? selected(Entity(entity))), summary: snapshot.summary)
            answer.percentage = Self.share(percentage.flatMap { found.first?.double($0) })
            if total > found.count { answer.note = "\(found.count) of \(total) rows; --limit 0 prints all" }
            return answer
        }
    }

    /// A whole number from 0 to 100.
    static func share(_ value: Double?) -> Int? { value.flatMap { $0.isNaN ? nil : Int(min(max($0, 0), 100)) } }
}

/// The names of a list with commas.
enum FieldNames {
    static func names(_ text: String?) -> [String]? { text.map { $0.split(separator: ",").map { $0.filter { $0 != " " } } } }
}

/// A condition and an order, as they were typed.
enum QueryText {
    static let filter = Parameter<String>.option("where", short: "w", value: "FILTER", help: "Only rows that meet this condition.")

    static let discussion = """
        A filter compares properties with values: isChecked == false && (price > 3 || list.title.contains("food")).
        It knows == != < <= > >=, in [...], .contains("..."), .hasPrefix("..."), && || ! and parentheses. Texts and dates stand in quotes.
        """

    static func filter(_ text: String?) throws(UsageError) -> RowFilter? {
        guard let text else { return nil }
        do { return try RowFilter(parsing: text) } catch { throw UsageError("the filter, \(error)", argument: text) }
    }

    static func order(_ text: String?) throws(UsageError) -> RowOrder {
        guard let text else { return RowOrder() }
        do { return try RowOrder(parsing: text) } catch { throw UsageError("--order, \(error)", argument: text) }
    }
}
