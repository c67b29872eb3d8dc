/// What zsh completes: a function for each command and group, in terms of its `_arguments` and `_describe`.
struct ZshCompletions {
    let program: Program

    var script: String {
        let name = Completions.function([program.name])
        let functions = function(for: program.root, [program.name])
        // Autoloaded from a folder of `fpath`, the file is the function's body; sourced, it has to say what it is for.
        return """
            #compdef \(program.name)
            \(functions.joined(separator: "\n"))
            if [ "$funcstack[1]" = "\(name)" ]; then
                \(name) "$@"
            else
                compdef \(name) \(program.name)
            fi
            """
    }

    private func function(for tree: CommandTree, _ path: [String]) -> [String] {
        let name = Completions.function(path)
        guard let declaration = tree.declaration else { return group(tree, path, name) + tree.children.flatMap { function(for: $0, path + [$0.name]) } }
        let arguments = declaration.parameters.flatMap(Self.argument) + ["'(- *)'{-h,--help}'[Show help]'"]
        return ["\(name)() {", "    _arguments -s \\"] + [arguments.map { "        \($0)" }.joined(separator: " \\\n")] + ["}"]
    }

    private func group(_ tree: CommandTree, _ path: [String], _ name: String) -> [String] {
        let children = tree.children.map { "        " + Completions.quoted("\($0.name):\(Self.escaped(Completions.line($0.summary)))") }
        let cases = tree.children.map { "        \($0.name)) \(Completions.function(path + [$0.name])) ;;" }
        let version = path.count == 1 ? " '(- *)--version[Show the version]'" : ""
        return [
            "\(name)() {", "    local context state state_descr line", "    local -a commands=(",
        ] + children + [
            "    )", "    _arguments -C '(- *)'{-h,--help}'[Show help]'\(version) '1: :->command' '*:: :->rest'", "    case $state in",
            "    command) _describe command commands ;;", "    rest)", "        case $line[1] in",
        ] + cases + ["        esac ;;", "    esac", "}"]
    }

    /// One option in each of its spellings, or one positional argument.
    private static func argument(_ parameter: ParameterDeclaration) -> [String] {
        let help = "[" + escaped(Completions.line(parameter.help)) + "]"
        func value(_ name: String) -> String {
            let action = !parameter.choices().isEmpty ? "(\(parameter.choices().joined(separator: " ")))" : Completions.takesFile(name) ? "_files" : ""
            return ":\(escaped(name)):\(action)"
        }
        func spellings(_ rest: String, isRepeatable: Bool) -> [String] {
            let mark = isRepeatable ? "*" : ""
            guard let short = parameter.short else { return [Completions.quoted("\(mark)--\(parameter.name)\(rest)")] }
            let other = isRepeatable ? ("", "") : ("(--\(parameter.name))", "(-\(short))")
            return [
                Completions.quoted("\(other.0)\(mark)-\(short)\(rest)"), Completions.quoted("\(other.1)\(mark)--\(parameter.name)\(rest)"),
            ]
        }
        switch parameter.kind {
        case .flag: return spellings(help, isRepeatable: false)
        case .option(let name, _, let isRepeatable): return spellings(help + value(name), isRepeatable: isRepeatable)
        case .positional(.one), .positional(.optional): return [Completions.quoted(value(parameter.name))]
        case .positional(.any), .positional(.oneOrMore): return [Completions.quoted("*\(value(parameter.name))")]
        }
    }

    /// Brackets and colons end a description there.
    private static func escaped(_ text: String) -> String {
        text.map { "[]:\\".contains($0) ? "\\\($0)" : String($0) }.joined()
    }
}
