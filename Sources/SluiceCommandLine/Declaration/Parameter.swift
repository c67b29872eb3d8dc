/// A switch without a value: `--json`, `-j`.
package struct Flag: Sendable {
    package let declaration: ParameterDeclaration

    package init(_ name: String, short: Character? = nil, help: String) {
        declaration = ParameterDeclaration(name: name, short: short, help: help, kind: .flag)
    }
}

/// A value on the command line, with its type.
///
/// A command declares each of its parameters once, as a static constant, lists it in its `Declaration`, and reads it with it:
///
///     static let limit = Parameter<Int>.option("limit", short: "n", value: "COUNT", default: "20", help: "How many rows.")
///     …
///     limit = arguments.required(Self.limit)
package struct Parameter<Value: ArgumentValue>: Sendable {
    package let declaration: ParameterDeclaration

    /// `--name VALUE` or `--name=VALUE`. A `default` is the text that stands in when the option is not given.
    package static func option(
        _ name: String, short: Character? = nil, value: String, default defaultText: String? = nil, isRequired: Bool = false,
        isRepeatable: Bool = false, help: String
    ) -> Parameter {
        Parameter(
            name: name, short: short, help: help, default: defaultText,
            kind: .option(value: value, isRequired: isRequired, isRepeatable: isRepeatable))
    }

    /// An argument known by its place. Only the last one of a command may take many.
    package static func positional(
        _ name: String, _ count: ParameterDeclaration.Count = .one, default defaultText: String? = nil, help: String
    ) -> Parameter {
        Parameter(name: name, short: nil, help: help, default: defaultText, kind: .positional(count))
    }

    private init(name: String, short: Character?, help: String, default defaultText: String?, kind: ParameterDeclaration.Kind) {
        declaration = ParameterDeclaration(
            name: name, short: short, help: help, kind: kind, defaultText: defaultText, expectation: { Value.expectation },
            choices: { Value.choices }, accepts: { Value(argument: $0) != nil })
    }
}

/// What the parser and the help text know of a flag or parameter: everything but its type.
package struct ParameterDeclaration: Sendable {
    package enum Count: Sendable {
        case one
        case optional
        case any
        case oneOrMore
    }

    package enum Kind: Sendable {
        case flag
        case option(value: String, isRequired: Bool, isRepeatable: Bool)
        case positional(Count)
    }

    package let name: String
    let short: Character?
    let help: String
    let kind: Kind
    var defaultText: String?
    /// Put together when it is wanted, as is the next: a program that starts often has many parameters.
    var expectation: @Sendable () -> String = { "" }
    /// The words that it can be; none where they cannot be listed.
    var choices: @Sendable () -> [String] = { [] }
    /// Whether a text can be read as the parameter's type; asked while parsing, so that reading it later cannot fail.
    var accepts: @Sendable (String) -> Bool = { _ in true }

    var isPositional: Bool { if case .positional = kind { true } else { false } }

    /// As it is typed: `--limit`, or `FILE`.
    var spelling: String { isPositional ? name : "--\(name)" }
}
