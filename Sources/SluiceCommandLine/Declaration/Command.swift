/// One thing a program can do: it parses, checks, calls a library and prints.
///
/// A command is made from arguments that already have their types. `validate` refuses what can be refused without touching anything;
/// only then comes `run`, which `SynchronousCommand` or `AsynchronousCommand` declares.
package protocol Command: Sendable {
    static var declaration: Declaration { get }
    init(_ arguments: Arguments)
    func validate() throws(UsageError)
    /// The command as one that runs to its end; nil for one that waits. A requirement instead of a cast, which would search all conformances
    /// of the program at each start of a helper.
    var synchronous: (any SynchronousCommand)? { get }
}

extension Command {
    package func validate() throws(UsageError) {}
    package var synchronous: (any SynchronousCommand)? { nil }
}

/// A command that runs to its end on the thread that called it; helpers consist of these.
package protocol SynchronousCommand: Command {
    func run(_ console: Console) throws -> ExitCode
}

extension SynchronousCommand {
    package var synchronous: (any SynchronousCommand)? { self }
}

/// A command that waits: for a daemon, a socket, a signal.
package protocol AsynchronousCommand: Command {
    func run(_ console: Console) async throws -> ExitCode
}

/// What a command is called, what it is for, and what it takes.
package struct Declaration: Sendable {
    package let name: String
    /// One line, for the list of commands.
    package let summary: String
    /// More lines, for the command's own help.
    package let discussion: String
    /// In the order of the help text.
    package let parameters: [ParameterDeclaration]
    /// The exit codes that mean something particular here, for the help text.
    package let exitCodes: [(code: ExitCode, meaning: String)]

    package init(
        _ name: String, _ summary: String, discussion: String = "", parameters: [ParameterDeclaration] = [],
        exitCodes: [(code: ExitCode, meaning: String)] = []
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.parameters = parameters
        self.exitCodes = exitCodes
    }
}

/// A command, or commands under a common name: `sluice config check`.
package indirect enum CommandTree: Sendable {
    case command(any Command.Type)
    case group(name: String, summary: String, [CommandTree])
    /// A text that follows from the program's declarations alone.
    case text(Declaration, @Sendable (Arguments, Program) -> String)

    var name: String {
        switch self {
        case .command(let type): type.declaration.name
        case .group(let name, _, _): name
        case .text(let declaration, _): declaration.name
        }
    }

    var summary: String {
        switch self {
        case .command(let type): type.declaration.summary
        case .group(_, let summary, _): summary
        case .text(let declaration, _): declaration.summary
        }
    }

    /// What it takes; nil for a group.
    var declaration: Declaration? {
        switch self {
        case .command(let type): type.declaration
        case .group: nil
        case .text(let declaration, _): declaration
        }
    }

    var children: [CommandTree] { if case .group(_, _, let children) = self { children } else { [] } }
}
