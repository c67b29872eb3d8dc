import SluiceCommandLine

/// How an answer is printed: the options that the commands share.
struct FormatOptions: Sendable {
    static let format = Parameter<OutputFormat>.option(
        "format", short: "o", value: "FORMAT",
        help: "plain, table, json, jsonl, template, waybar, i3bar, i3blocks, polybar, tmux or prompt (default: plain).")
    static let json = Flag("json", short: "j", help: "The same as --format json.")
    static let template = Parameter<String>.option(
        "template", short: "t", value: "TEXT",
        help: "What to print for a row, as in '{{title}} {{price}}'; \\n and \\t are understood. Bars show it too.")
    static let separator = Parameter<String>.option(
        "separator", value: "TEXT", default: "  ", help: "What stands between rows where all of them are one item of a bar.")
    static let width = Parameter<Int>.option(
        "width", value: "COLUMNS", help: "How wide an item may be: of prompt (default: 32), polybar and tmux, and the short text of i3 (default: 20).")
    static let markup = Parameter<Markup>.option(
        "markup", value: "KIND", help: "none or pango: what the template has, and i3bar or i3blocks reads (default: none).")

    enum Markup: String, CaseIterable, ArgumentValue {
        case none
        case pango
    }

    static let declarations = [
        format.declaration, json.declaration, template.declaration, separator.declaration, width.declaration, markup.declaration,
    ]

    let separator: String
    let width: Int?
    private let given: OutputFormat?
    private let isJSON: Bool
    private let templateText: String?
    private let markup: Markup?

    init(_ arguments: Arguments) {
        given = arguments.value(of: Self.format)
        isJSON = arguments.isSet(Self.json)
        templateText = arguments.value(of: Self.template)
        separator = arguments.required(Self.separator)
        width = arguments.value(of: Self.width)
        markup = arguments.value(of: Self.markup)
    }

    var format: OutputFormat { isJSON ? .json : given ?? (templateText == nil ? .plain : .template) }
    var isPango: Bool { markup == .pango }

    /// - Parameter names: what a template may name; nil where a schema says it.
    func validate(names: [String]? = nil) throws(UsageError) {
        if isJSON, let given, given != .json { throw UsageError("--json contradicts", argument: "--format \(given.rawValue)") }
        if templateText != nil, format != .template, format.bar == nil {
            throw UsageError("a template needs --format template, or that of a bar", argument: "--template")
        }
        if format == .template, templateText == nil { throw UsageError("missing option", argument: "--template TEXT") }
        if let width, width < 1 { throw UsageError("a width is at least 1", argument: "--width") }
        if markup != nil, ![.i3bar, .i3blocks].contains(format) { throw UsageError("--markup is for i3bar and i3blocks", argument: "--markup") }
        for field in try template()?.fields ?? [] where names?.contains(field) == false {
            throw UsageError("nothing of that name is here; a template may name \(names?.joined(separator: ", ") ?? "")", argument: field)
        }
    }

    func template() throws(UsageError) -> RowTemplate? {
        guard let templateText else { return nil }
        return try RowTemplate(templateText)
    }
}
