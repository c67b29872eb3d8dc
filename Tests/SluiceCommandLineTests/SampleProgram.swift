import SluiceCommandLine

enum Order: String, CaseIterable, ArgumentValue {
    case newest
    case oldest
}

/// A command with one parameter of each kind; it prints what it got.
struct ListCommand: SynchronousCommand {
    static let json = Flag("json", short: "j", help: "Print one JSON object per row.")
    static let quiet = Flag("quiet", short: "q", help: "Print no titles.")
    static let limit = Parameter<Int>.option("limit", short: "n", value: "COUNT", default: "20", help: "How many rows.")
    static let order = Parameter<Order>.option("order", value: "ORDER", help: "Which rows come first.")
    static let fields = Parameter<String>.option("field", value: "NAME", isRepeatable: true, help: "A field to print.")
    static let entity = Parameter<String>.positional("ENTITY", help: "Whose rows.")
    static let names = Parameter<String>.positional("NAME", .any, help: "Record names;\nall rows without one.")
    static let declaration = Declaration(
        "list", "Print rows.", discussion: "Rows come from the local store.",
        parameters: [
            entity.declaration, names.declaration, json.declaration, quiet.declaration, limit.declaration, order.declaration,
            fields.declaration,
        ],
        exitCodes: [(.noInput, "There is no store.")])

    let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func validate() throws(UsageError) {
        if arguments.required(Self.limit) < 0 { throw UsageError("a limit is not negative", argument: "--limit") }
    }

    func run(_ console: Console) -> ExitCode {
        console.printLine(
            """
            entity=\(arguments.required(Self.entity)) names=\(arguments.values(of: Self.names)) json=\(arguments.isSet(Self.json)) \
            quiet=\(arguments.isSet(Self.quiet)) limit=\(arguments.required(Self.limit)) \
            order=\(arguments.value(of: Self.order)?.rawValue ?? "none") fields=\(arguments.values(of: Self.fields))
            """)
        return .success
    }
}

/// A command that ends with an error.
struct FailingCommand: AsynchronousCommand {
    struct NoStore: ExitCodeProviding, CustomStringConvertible {
        let exitCode = ExitCode.noInput
        let description = "there is no store here"
    }

    static let account = Parameter<String>.option("account", value: "NAME", isRequired: true, help: "Which account.")
    static let declaration = Declaration("check", "Fail.", parameters: [account.declaration])

    init(_ arguments: Arguments) {}

    func run(_ console: Console) async throws -> ExitCode { throw NoStore() }
}

let sampleProgram = Program(
    "sample", version: "1.2.3", summary: "Shows what a program can be.",
    commands: [
        .command(ListCommand.self),
        .group(name: "store", summary: "Look after stores.", [.command(FailingCommand.self)]),
    ])

/// The exit code and what was printed.
struct Outcome: Equatable {
    var code: ExitCode
    var output: String
    var errors: String

    static func running(_ line: String) -> Outcome {
        let console = Console(output: TextSink(inMemoryAsTerminal: false), errors: TextSink(inMemoryAsTerminal: false))
        let code = sampleProgram.run(line.split(separator: " ").map(String.init), console: console)
        return Outcome(code: code, output: console.output.contents, errors: console.errors.contents)
    }
}
