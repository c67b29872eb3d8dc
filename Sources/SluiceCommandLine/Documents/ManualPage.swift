// roff with the macros of man(7). A dot or a quote at the beginning of a line and a backslash anywhere would be commands to it; a bare hyphen
// is a hyphen and no minus, so that what is copied from the page would not be an option.

/// The manual page of a program, from the declarations of its commands.
struct ManualPage {
    let program: Program

    var text: String {
        let name = program.name
        var lines = [
            ".TH \(Self.escaped(name.uppercased())) 1 \"\" \"Sluice \(Self.escaped(program.version))\" \"User Commands\"",
            ".SH NAME", "\(Self.escaped(name)) \\- \(Self.escaped(Completions.line(program.summary)))",
            ".SH SYNOPSIS", ".B \(Self.escaped(name))", ".I COMMAND", "[\\fIARGUMENT\\fR...]",
            ".SH DESCRIPTION", Self.escaped(program.summary), ".SH COMMANDS",
        ]
        lines += commands(below: program.root, [name])
        if !program.environment.isEmpty {
            lines.append(".SH ENVIRONMENT")
            for variable in program.environment { lines += Self.item(variable.name, variable.meaning) }
        }
        lines += exitStatus
        return lines.joined(separator: "\n")
    }

    private func commands(below tree: CommandTree, _ path: [String]) -> [String] {
        tree.children.flatMap { child -> [String] in
            let words = path + [child.name]
            guard let declaration = child.declaration else { return commands(below: child, words) }
            var lines = [".SS \"\(Self.escaped(words.joined(separator: " ")))\""]
            lines += [Self.escaped(HelpText(path: words).usage(of: declaration)), ".PP", Self.escaped(declaration.summary)]
            if !declaration.discussion.isEmpty { lines += [".PP", Self.escaped(declaration.discussion)] }
            for parameter in declaration.parameters {
                lines += Self.item(parameter.isPositional ? parameter.name : HelpText.label(of: parameter), HelpText.help(of: parameter))
            }
            return lines
        }
    }

    /// Every code that some command names, once, with the first meaning that it is given.
    private var exitStatus: [String] {
        func codes(below tree: CommandTree) -> [(code: ExitCode, meaning: String)] {
            (tree.declaration?.exitCodes ?? []) + tree.children.flatMap(codes)
        }
        var seen: Set<Int32> = []
        let found = codes(below: program.root).filter { seen.insert($0.code.rawValue).inserted }.sorted { $0.code.rawValue < $1.code.rawValue }
        return found.isEmpty ? [] : [".SH EXIT STATUS"] + found.flatMap { Self.item("\($0.code.rawValue)", $0.meaning) }
    }

    private static func item(_ label: String, _ text: String) -> [String] { [".TP", ".B \(escaped(label))", escaped(text)] }

    static func escaped(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let escaped = line.map { character in
                switch character {
                case "\\": "\\e"
                case "-": "\\-"
                default: String(character)
                }
            }.joined()
            return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&\(escaped)" : escaped
        }.joined(separator: "\n")
    }
}
