/// The text that `--help` prints, made from the declarations alone.
struct HelpText {
    let path: [String]

    func text(for declaration: Declaration) -> String {
        var sections = ["Usage: " + usage(of: declaration), declaration.summary]
        if !declaration.discussion.isEmpty { sections.append(declaration.discussion) }
        let positionals = declaration.parameters.filter(\.isPositional).map { ($0.name, Self.help(of: $0)) }
        let options = declaration.parameters.filter { !$0.isPositional }.map { (Self.label(of: $0), Self.help(of: $0)) }
        sections.append(Self.list("Arguments", positionals))
        sections.append(Self.list("Options", options + [("-h, --help", "Show this help.")]))
        sections.append(Self.list("Exit codes", declaration.exitCodes.map { (String($0.code.rawValue), $0.meaning) }))
        return Self.joined(sections)
    }

    func text(forGroup children: [CommandTree], summary: String, hasVersion: Bool) -> String {
        let program = path.joined(separator: " ")
        var options = [("-h, --help", "Show this help.")]
        if hasVersion { options.append(("--version", "Show the version.")) }
        return Self.joined([
            "Usage: \(program) COMMAND [ARGUMENT...]", summary,
            Self.list("Commands", children.map { ($0.name, $0.summary) }),
            Self.list("Options", options),
            "'\(program) COMMAND --help' says more about one command.",
        ])
    }

    func usage(of declaration: Declaration) -> String {
        let words = declaration.parameters.map { parameter in
            switch parameter.kind {
            case .flag: "[--\(parameter.name)]"
            case .option(let value, true, let isRepeatable): "--\(parameter.name) \(value)" + (isRepeatable ? "..." : "")
            case .option(let value, false, let isRepeatable): "[--\(parameter.name) \(value)]" + (isRepeatable ? "..." : "")
            case .positional(.one): parameter.name
            case .positional(.optional): "[\(parameter.name)]"
            case .positional(.any): "[\(parameter.name)...]"
            case .positional(.oneOrMore): "\(parameter.name)..."
            }
        }
        return (path + words).joined(separator: " ")
    }

    static func label(of parameter: ParameterDeclaration) -> String {
        let short = parameter.short.map { "-\($0), " } ?? ""
        guard case .option(let value, _, _) = parameter.kind else { return "\(short)--\(parameter.name)" }
        return "\(short)--\(parameter.name) \(value)"
    }

    static func help(of parameter: ParameterDeclaration) -> String {
        parameter.help + (parameter.defaultText.map { " (default: \($0))" } ?? "")
    }

    private static func list(_ title: String, _ rows: [(label: String, text: String)]) -> String {
        guard !rows.isEmpty else { return "" }
        let width = rows.map { DisplayWidth.of($0.label) }.max() ?? 0
        let lines = rows.map { row in
            // Lines after the first of a longer help stand below its beginning.
            let text = row.text.split(separator: "\n").joined(separator: "\n" + String(repeating: " ", count: width + 4))
            return "  " + DisplayWidth.padded(row.label, to: width) + "  " + text
        }
        return ([title + ":"] + lines).joined(separator: "\n")
    }

    private static func joined(_ sections: [String]) -> String {
        sections.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }
}
