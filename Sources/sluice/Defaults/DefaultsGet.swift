import SluiceCommandLine
import SluiceReader

/// `sluice defaults get`: one value.
struct DefaultsGet: AsynchronousCommand {
    private static let json = Flag("json", help: "Print it as JSON, with its type where JSON has none.")

    static let declaration = Declaration(
        "get", "Print one value.", parameters: [DefaultsOptions.key.declaration, json.declaration] + DefaultsOptions.declarations,
        exitCodes: DefaultsOptions.exitCodes)

    private let options: DefaultsOptions
    private let key: String
    private let printsJSON: Bool

    init(_ arguments: Arguments) {
        options = DefaultsOptions(arguments)
        key = arguments.required(DefaultsOptions.key)
        printsJSON = arguments.isSet(Self.json)
    }

    func validate() throws(UsageError) { try options.validate() }

    func run(_ console: Console) async throws -> ExitCode {
        guard let value = try await options.values().lazy.compactMap({ $0.values[key] }).first else {
            console.report("there is no value of \(key)".printable)
            return .noInput
        }
        if printsJSON { try console.printJSON(value) } else { console.printLine("\(value)".printable) }
        return .success
    }
}
