import FoundationEssentials
import SluiceJSON

extension ToolName {
    struct Parameter {
        let name: String
        let kind: Kind
        let help: String
        var isRequired = false

        enum Kind {
            case text
            case texts
            case number
        }
    }

    var parameters: [Parameter] {
        switch self {
        case .listEntities, .freshness: []
        case .describeEntity: [Parameter(name: "entity", kind: .text, help: "The entity's name.", isRequired: true)]
        case .query:
            [
                Parameter(name: "entity", kind: .text, help: "Whose rows; those of its subentities are among them.", isRequired: true),
                Parameter(
                    name: "filter", kind: .text,
                    help: "A condition such as: isDone == false && (price > 3 || list.title.contains(\"food\")). It knows == != < <= > >=, in [...], "
                        + ".contains(\"...\"), .hasPrefix(\"...\"), && || ! and parentheses; texts and dates stand in quotes."),
                Parameter(name: "fields", kind: .texts, help: "Which properties; without it, all but bytes."),
                Parameter(name: "order", kind: .text, help: "As in: price desc, title."),
                Parameter(name: "limit", kind: .number, help: "How many rows at most; 50 unless told otherwise."),
            ]
        case .get:
            [
                Parameter(name: "name", kind: .text, help: "The record's name: the _name of a row, or where a relationship leads.", isRequired: true),
                Parameter(name: "fields", kind: .texts, help: "Which properties; without it, all but bytes."),
            ]
        }
    }

    private var title: String {
        switch self {
        case .listEntities: "List entities"
        case .describeEntity: "Describe an entity"
        case .query: "Query rows"
        case .get: "Get a record"
        case .freshness: "How fresh the data is"
        }
    }

    private var help: String {
        switch self {
        case .listEntities: "The kinds of records that there are, and how many of each."
        case .describeEntity: "The properties of an entity, their types, and where its relationships lead."
        case .query: "Rows of an entity that meet a condition, in an order, up to a limit; says how many there are in all."
        case .get: "One record, by its name."
        case .freshness: "Whether there is data, how old it is, and whether it is being migrated."
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", rawValue)
            writer.member("title", title)
            writer.member("description", help)
            writer.object("inputSchema") { writer in
                writer.member("type", "object")
                writer.object("properties") { writer in for parameter in parameters { parameter.write(to: &writer) } }
                let required = parameters.filter(\.isRequired).map(\.name)
                if !required.isEmpty { writer.member("required", required) }
                writer.member("additionalProperties", false)
            }
            writer.object("annotations") { writer in
                writer.member("readOnlyHint", true)
                writer.member("destructiveHint", false)
                writer.member("idempotentHint", true)
                writer.member("openWorldHint", false)
            }
        }
    }
}

extension ToolName.Parameter {
    func write(to writer: inout JSONWriter) {
        writer.object(name) { writer in
            switch kind {
            case .text: writer.member("type", "string")
            case .number: writer.member("type", "integer")
            case .texts:
                writer.member("type", "array")
                writer.object("items") { $0.member("type", "string") }
            }
            writer.member("description", help)
        }
    }
}

extension Tools {
    /// The answer to `tools/list`.
    static var list: Data {
        var writer = JSONWriter(capacity: 4_096)
        writer.object { writer in
            writer.array("tools") { writer in for tool in ToolName.allCases { tool.write(to: &writer) } }
        }
        return writer.data
    }
}
