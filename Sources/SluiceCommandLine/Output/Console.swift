import FoundationEssentials

/// Where a command prints: results to `output`, everything said about the work to `errors`.
package struct Console: Sendable {
    package let output: TextSink
    package let errors: TextSink

    package init(output: TextSink, errors: TextSink) {
        self.output = output
        self.errors = errors
    }

    /// The process's own standard output and standard error.
    package static let standard = Console(output: TextSink(descriptor: 1), errors: TextSink(descriptor: 2, gathers: false))

    /// One line of the result.
    package func printLine(_ text: String) { output.write(text + "\n") }

    /// One result as one line of JSON, its keys sorted.
    package func printJSON(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        printLine(String(decoding: try encoder.encode(value), as: UTF8.self).harmlessJSON)
    }

    /// One line about the work: a warning, a note.
    package func report(_ text: String) { errors.write(text + "\n") }

    /// Writes out what is buffered. Output that could not be written turns success into a failure, because the reader has only a part.
    func finish(_ code: ExitCode) -> ExitCode {
        let isWritten = output.flush()
        if let failure = output.failure { report("the output could not be written: \(failure)") }
        errors.flush()
        return code == .success && !isWritten ? .inputOutput : code
    }

    /// Reports an error that ended the program.
    func finish(_ error: any Error, program: String) -> ExitCode {
        output.flush()
        if let error = error as? UsageError {
            report(error.commandPath.isEmpty ? "\(program): \(error)" : "\(error)")
        } else {
            report("\(program): \(error)")
        }
        return finish((error as? any ExitCodeProviding)?.exitCode ?? .software)
    }
}
