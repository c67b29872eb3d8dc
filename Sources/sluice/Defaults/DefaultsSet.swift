import SluiceCommandLine
import SluiceReader

/// `sluice defaults set`: a small value for helpers and shells, or for all devices.
struct DefaultsSet: AsynchronousCommand {
    private static let values = Parameter<String>.positional("VALUE", .oneOrMore, help: "The value; with --list each item of it.")
    private static let type = Parameter<String>.option(
        "type", short: "t", value: "TYPE", help: "\(SharedValue.types.joined(separator: ", ")). Default: string.\nA date is ISO 8601, data is base64.")
    private static let list = Flag("list", help: "The values are the items of a list.")

    static let declaration = Declaration(
        "set", "Set a value that helpers read, or that all devices share.",
        parameters: [DefaultsOptions.key.declaration, values.declaration, type.declaration, list.declaration] + DefaultsOptions.declarations,
        exitCodes: DefaultsOptions.exitCodes)

    private let options: DefaultsOptions
    private let key: String
    private let texts: [String]
    private let type: String
    private let isList: Bool

    init(_ arguments: Arguments) {
        options = DefaultsOptions(arguments)
        key = arguments.required(DefaultsOptions.key)
        texts = arguments.values(of: Self.values)
        type = arguments.value(of: Self.type) ?? "string"
        isList = arguments.isSet(Self.list)
    }

    func validate() throws(UsageError) {
        try options.validate()
        guard SharedValue.types.contains(type) else {
            throw UsageError("a type is one of \(SharedValue.types.joined(separator: ", "))", argument: type)
        }
        for text in texts where SharedValue(text, as: type) == nil { throw UsageError("this is no \(type)", argument: text) }
        if !isList, texts.count > 1 { throw UsageError("one value, or --list", argument: texts[1]) }
    }

    func run(_ console: Console) async throws -> ExitCode {
        let values = texts.compactMap { SharedValue($0, as: type) }
        try await options.set(isList ? .list(values) : values.first, for: key)
        return .success
    }
}
