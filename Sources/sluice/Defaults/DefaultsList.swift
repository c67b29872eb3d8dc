import SluiceCommandLine
import SluiceReader

/// `sluice defaults list`: every value.
struct DefaultsList: AsynchronousCommand {
    private static let json = Flag("json", help: "Print the values of each group container as one line of JSON.")

    static let declaration = Declaration(
        "list", "Print every value, its type and its key.", parameters: [json.declaration] + DefaultsOptions.declarations,
        exitCodes: DefaultsOptions.exitCodes)

    private let options: DefaultsOptions
    private let printsJSON: Bool

    init(_ arguments: Arguments) {
        options = DefaultsOptions(arguments)
        printsJSON = arguments.isSet(Self.json)
    }

    func validate() throws(UsageError) { try options.validate() }

    func run(_ console: Console) async throws -> ExitCode {
        for (group, values) in try await options.values() {
            if printsJSON {
                try console.printJSON(values)
                continue
            }
            if !group.isEmpty { console.printLine("group \(group)".printable) }
            for (key, value) in values.sorted(by: { $0.key < $1.key }) { console.printLine("\(key) \(value.type) \(value)".printable) }
        }
        return .success
    }
}
