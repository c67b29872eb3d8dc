import SluiceNotation

/// A program: its name, and the commands below it.
///
///     let program = Program("sluice", summary: "…", commands: [.command(Status.self), .group(name: "config", summary: "…", [.command(Check.self)])])
///     await program.runAwaiting(Array(CommandLine.arguments.dropFirst()), console: .standard).exit()
///
/// Results go to standard output; everything else, help after a mistake included, to standard error.
package struct Program: Sendable {
    package let name: String
    package let version: String
    let summary: String
    let root: CommandTree
    /// Variables that the program looks at, for its manual page.
    let environment: [(name: String, meaning: String)]

    package init(
        _ name: String, version: String = Release.version, summary: String, environment: [(name: String, meaning: String)] = [],
        commands: [CommandTree]
    ) {
        self.name = name
        self.version = version
        self.summary = summary
        self.environment = environment
        root = .group(name: name, summary: summary, commands)
    }

    /// A program with no commands below it.
    package init(version: String = Release.version, only command: any Command.Type) {
        name = command.declaration.name
        self.version = version
        summary = command.declaration.summary
        environment = []
        root = .command(command)
    }

    /// What a command line asks for.
    package enum Request: Sendable {
        /// Text to print on standard output: help or version.
        case text(String)
        /// A command that is checked and ready to run.
        case command(any Command, path: [String])
    }

    /// Finds the command, parses its arguments and validates them. Nothing is opened or changed.
    package func request(_ arguments: [String]) throws(UsageError) -> Request {
        if arguments.first == "--version" { return .text("\(name) \(version)") }
        return try request(arguments[...], in: root, path: [name])
    }

    /// Runs a program all of whose commands are synchronous.
    package func run(_ arguments: [String], console: Console) -> ExitCode {
        do {
            switch try request(arguments) {
            case .text(let text):
                console.printLine(text)
                return console.finish(.success)
            case .command(let command, let path):
                guard let command = command.synchronous else {
                    preconditionFailure("\(path) waits: run this program with runAwaiting")
                }
                return console.finish(try command.run(console))
            }
        } catch {
            return console.finish(error, program: name)
        }
    }

    private func request(_ arguments: ArraySlice<String>, in tree: CommandTree, path: [String]) throws(UsageError) -> Request {
        do throws(UsageError) {
            switch tree {
            case .command(let type): return try request(arguments, to: type, path: path)
            case .text(let declaration, let body):
                guard let parsed = try ArgumentParser.parse(arguments, declaration.parameters) else {
                    return .text(HelpText(path: path).text(for: declaration))
                }
                return .text(body(parsed, self))
            case .group(_, let summary, let children):
                guard let word = arguments.first else {
                    throw UsageError("a command is missing; one of \(children.map(\.name).joined(separator: ", "))")
                }
                if word == "--help" || word == "-h" {
                    let isRoot = path.count == 1
                    return .text(HelpText(path: path).text(forGroup: children, summary: summary, hasVersion: isRoot))
                }
                if word.hasPrefix("-") { throw UsageError("options stand after the command", argument: word) }
                guard let child = children.first(where: { $0.name == word }) else {
                    throw UsageError(
                        "unknown command", argument: word, suggestion: Spelling.nearest(to: word, in: children.map(\.name)))
                }
                return try request(arguments.dropFirst(), in: child, path: path + [word])
            }
        } catch {
            var error = error
            if error.commandPath.isEmpty { error.commandPath = path }
            throw error
        }
    }

    private func request(
        _ arguments: ArraySlice<String>, to type: any Command.Type, path: [String]
    ) throws(UsageError) -> Request {
        guard let parsed = try ArgumentParser.parse(arguments, type.declaration.parameters) else {
            return .text(HelpText(path: path).text(for: type.declaration))
        }
        let command = type.init(parsed)
        try command.validate()
        return .command(command, path: path)
    }
}
