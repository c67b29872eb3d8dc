import SluiceCommandLine

/// `sluice defaults remove`: takes a value away.
struct DefaultsRemove: AsynchronousCommand {
    static let declaration = Declaration(
        "remove", "Take a value away; that there is none is no error.", parameters: [DefaultsOptions.key.declaration] + DefaultsOptions.declarations,
        exitCodes: DefaultsOptions.exitCodes)

    private let options: DefaultsOptions
    private let key: String

    init(_ arguments: Arguments) {
        options = DefaultsOptions(arguments)
        key = arguments.required(DefaultsOptions.key)
    }

    func validate() throws(UsageError) { try options.validate() }

    func run(_ console: Console) async throws -> ExitCode {
        try await options.set(nil, for: key)
        return .success
    }
}
