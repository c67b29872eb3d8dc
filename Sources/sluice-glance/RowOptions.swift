import SluiceCommandLine
import SluiceSchema

/// How rows are printed: the options that `list` and `get` share.
struct RowOptions: Sendable {
    enum Format: String, CaseIterable, ArgumentValue {
        /// The fields of a row on one line, tabs between them.
        case plain
        case table
        /// One object per row, one per line.
        case json
        case template
    }

    static let fields = Parameter<String>.option(
        "fields", short: "f", value: "NAMES", help: "Which properties, with commas between them; _name and _entity are the record's own.")
    static let format = Parameter<Format>.option("format", value: "FORMAT", help: "plain, table, json or template (default: plain).")
    static let json = Flag("json", short: "j", help: "The same as --format json.")
    static let template = Parameter<String>.option(
        "template", short: "t", value: "TEXT", help: "What to print for a row, as in '{{title}} {{price}}'; \\n and \\t are understood.")

    static let declarations = [fields.declaration, format.declaration, json.declaration, template.declaration]

    let fields: [String]?
    private let given: Format?
    private let isJSON: Bool
    private let templateText: String?

    init(_ arguments: Arguments) {
        fields = arguments.value(of: Self.fields).map { $0.split(separator: ",").map { $0.filter { $0 != " " } } }
        given = arguments.value(of: Self.format)
        isJSON = arguments.isSet(Self.json)
        templateText = arguments.value(of: Self.template)
    }

    func validate() throws(UsageError) {
        if isJSON, let given, given != .json { throw UsageError("--json contradicts", argument: "--format \(given.rawValue)") }
        let takesTemplate = given == .template || (given == nil && !isJSON)
        if templateText != nil, !takesTemplate { throw UsageError("a template needs --format template", argument: "--template") }
        if given == .template, templateText == nil { throw UsageError("missing option", argument: "--template TEXT") }
        _ = try layout()
    }

    /// What a row looks like.
    func layout() throws(UsageError) -> RowLayout {
        if let templateText { return .template(try RowTemplate(templateText)) }
        switch isJSON ? .json : given ?? .plain {
        case .json: return .json
        case .table: return .table
        case .plain, .template: return .plain
        }
    }
}

/// A format with what it needs.
enum RowLayout: Sendable {
    case plain
    case table
    case json
    case template(RowTemplate)
}
