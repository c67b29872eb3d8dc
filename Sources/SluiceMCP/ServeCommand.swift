import FoundationEssentials
package import SluiceCommandLine
import SluiceReader

/// `sluice-mcp`: answers on standard input until it ends.
package struct ServeCommand: SynchronousCommand {
    private static let group = Parameter<String>.option(
        "group", short: "g", value: "NAME", help: "Which group container; without it, the one that SLUICE_GROUP names.")
    private static let groupsDirectory = Parameter<String>.option(
        "groups-dir", value: "DIR", help: "Where containers lie, instead of the usual places.")
    private static let staleAfter = Parameter<Duration>.option(
        "stale-after", value: "DURATION", help: "Call the data stale if the last sync is longer ago; it is answered with all the same.")
    private static let rowsMax = Parameter<Int>.option(
        "max-rows", value: "COUNT", default: "500", help: "How many rows one answer may have, whatever is asked for.")

    package static let declaration = Declaration(
        "sluice-mcp", "Shows a group container to a language model: a Model Context Protocol server on standard input and output.",
        discussion: """
            It reads and nothing else: no tool writes, syncs or migrates, and nothing networked is in it. A container that is not there
            yet, or cannot be read, is what its tools answer, not the end of the server.
            """,
        parameters: [group.declaration, groupsDirectory.declaration, staleAfter.declaration, rowsMax.declaration],
        exitCodes: [(.success, "Its input has ended."), (.usage, "The command line is wrong."), (.inputOutput, "Nobody takes its output.")])

    private let arguments: Arguments

    package init(_ arguments: Arguments) { self.arguments = arguments }

    package func validate() throws(UsageError) {
        if arguments.required(Self.rowsMax) < 1 { throw UsageError("at least one row", argument: "--max-rows") }
    }

    package func run(_ console: Console) throws -> ExitCode {
        let environment = Environment.ofReaders
        guard let name = arguments.value(of: Self.group) ?? environment["SLUICE_GROUP"] else {
            throw UsageError("missing option", argument: "--group NAME")
        }
        let container: GroupContainer
        do {
            container = try GroupContainer.open(name, groupsDirectory: arguments.value(of: Self.groupsDirectory), environment: environment)
        } catch { throw UsageError("\(error)", argument: "--group") }
        let library = Library(
            container: container, name: name, staleAfter: arguments.value(of: Self.staleAfter), rowsMax: arguments.required(Self.rowsMax))
        var server = Server(library)
        let input = LineReader(descriptor: 0)
        while let line = input.next() {
            guard let reply = server.reply(to: line) else { continue }
            console.output.write(String(decoding: reply, as: UTF8.self) + "\n")
            guard console.output.flush() else { return .inputOutput }
        }
        return .success
    }
}
