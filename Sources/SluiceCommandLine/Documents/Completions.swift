/// What a shell completes after a program's name, from the declarations of its commands.
///
///     CommandTree.completions     // as a command of the program: `sluice-glance completions bash`
struct Completions {
    let program: Program

    enum Shell: String, CaseIterable, ArgumentValue {
        case bash
        case zsh
        case fish
    }

    func script(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: ZshCompletions(program: program).script
        case .fish: fish
        }
    }

    /// The name of a shell function.
    static func function(_ words: [String]) -> String {
        "_" + words.joined(separator: "_").map { $0.isASCII && ($0.isLetter || $0.isNumber) ? String($0) : "_" }.joined()
    }

    /// In single quotes: the shell looks into nothing.
    static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// A help text's first line, without its last dot.
    static func line(_ help: String) -> String {
        let line = help.split(separator: "\n").first.map(String.init) ?? ""
        return line.hasSuffix(".") ? String(line.dropLast()) : line
    }

    /// Commands and groups with the words that lead to them, the program itself first.
    private var nodes: [(path: [String], tree: CommandTree)] {
        func below(_ tree: CommandTree, _ path: [String]) -> [(path: [String], tree: CommandTree)] {
            [(path, tree)] + tree.children.flatMap { below($0, path + [$0.name]) }
        }
        return below(program.root, [])
    }

    static func takesFile(_ value: String) -> Bool { ["FILE", "DIR", "DIRECTORY", "PATH"].contains(value) }

    // MARK: bash

    private var bash: String {
        let name = Self.function([program.name])
        let paths = nodes.dropFirst().map { "\"\($0.path.joined(separator: " "))\"" }.joined(separator: "|")
        let values = nodes.flatMap { node in
            (node.tree.declaration?.parameters ?? []).flatMap { parameter in Self.bashValues(of: parameter, after: node.path) }
        }
        let words = nodes.map { node in
            "        \"\(node.path.joined(separator: " "))\") words=\(Self.quoted(Self.words(after: node.tree, isRoot: node.path.isEmpty))) ;;"
        }
        return """
            # bash completion of \(program.name)
            \(name)() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} path="" words="" word
                for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                    case "${path:+$path }$word" in
                        \(paths)) path="${path:+$path }$word" ;;
                    esac
                done
                COMPREPLY=()
                case "$path $previous" in
            \(values.joined(separator: "\n"))
                esac
                case "$path" in
            \(words.joined(separator: "\n"))
                esac
                COMPREPLY=($(compgen -W "$words" -- "$current"))
            }
            complete -o default -F \(name) \(program.name)
            """
    }

    private static func words(after tree: CommandTree, isRoot: Bool) -> String {
        let options = (tree.declaration?.parameters ?? []).filter { !$0.isPositional }.map(\.spelling)
        let choices = (tree.declaration?.parameters ?? []).filter(\.isPositional).flatMap { $0.choices() }
        return (tree.children.map(\.name) + choices + options + ["--help"] + (isRoot ? ["--version"] : [])).joined(separator: " ")
    }

    private static func bashValues(of parameter: ParameterDeclaration, after path: [String]) -> [String] {
        guard case .option(let value, _, _) = parameter.kind else { return [] }
        let spellings = [parameter.spelling] + (parameter.short.map { ["-\($0)"] } ?? [])
        let pattern = spellings.map { "\"\(path.joined(separator: " ")) \($0)\"" }.joined(separator: "|")
        if !parameter.choices().isEmpty {
            return ["        \(pattern)) COMPREPLY=($(compgen -W '\(parameter.choices().joined(separator: " "))' -- \"$current\")); return ;;"]
        }
        // Nothing of ours fits: with no words given, the shell offers files, as it does by itself.
        return takesFile(value) ? ["        \(pattern)) return ;;"] : ["        \(pattern)) compopt +o default; return ;;"]
    }

    // MARK: fish

    private var fish: String {
        let start = "complete -c \(program.name)"
        var lines = ["# fish completion of \(program.name)", "\(start) -f"]
        for node in nodes {
            let seen = node.path.map { "__fish_seen_subcommand_from \($0)" }
            let next = node.tree.children.map(\.name)
            let condition = (seen + (next.isEmpty ? [] : ["not __fish_seen_subcommand_from \(next.joined(separator: " "))"])).joined(separator: "; and ")
            for child in node.tree.children {
                lines.append("\(start) -n \(Self.quoted(condition)) -a \(child.name) -d \(Self.quoted(Self.line(child.summary)))")
            }
            for parameter in node.tree.declaration?.parameters ?? [] {
                lines += Self.fish(parameter).map { "\(start) -n \(Self.quoted(condition)) \($0)" }
            }
        }
        lines.append("\(start) -l help -s h -d 'Show help'")
        return lines.joined(separator: "\n")
    }

    private static func fish(_ parameter: ParameterDeclaration) -> [String] {
        let help = "-d \(quoted(line(parameter.help)))"
        let choices = parameter.choices().isEmpty ? "" : " -a \(quoted(parameter.choices().joined(separator: " ")))"
        let short = parameter.short.map { " -s \($0)" } ?? ""
        switch parameter.kind {
        case .positional: return choices.isEmpty ? [] : ["\(choices.dropFirst()) \(help)"]
        case .flag: return ["-l \(parameter.name)\(short) \(help)"]
        case .option(let value, _, _):
            return ["-l \(parameter.name)\(short) \(takesFile(value) ? "-r -F" : "-x")\(choices) \(help)"]
        }
    }
}
