/// A command line that cannot be obeyed: what is wrong with which argument, and the command to try instead.
package struct UsageError: Error, Hashable, Sendable {
    package let problem: String
    /// The argument as it was typed, or the parameter that is missing.
    package let argument: String?
    /// What was probably meant.
    package let suggestion: String?
    /// The names of the program and its commands, as far as they were understood. The parser fills it in.
    package var commandPath: [String]

    package init(_ problem: String, argument: String? = nil, suggestion: String? = nil, commandPath: [String] = []) {
        self.problem = problem
        self.argument = argument
        self.suggestion = suggestion
        self.commandPath = commandPath
    }
}

extension UsageError: CustomStringConvertible, ExitCodeProviding {
    package var description: String {
        let command = commandPath.joined(separator: " ")
        var text = command.isEmpty ? problem : "\(command): \(problem)"
        if let argument { text += ": \(argument.printable)" }
        if let suggestion { text += ". Did you mean \(suggestion)?" }
        if !command.isEmpty { text += "\nTry '\(command) --help'." }
        return text
    }

    package var exitCode: ExitCode { .usage }
}
