import SluiceCommandLine

/// Which group container a command is about.
enum ProjectionOptions {
    static let group = Parameter<String>.option(
        "group", short: "g", value: "NAME", help: "One of the account's group containers. Default: all of them.")
    static let json = Flag("json", help: "Print each group container as one line of JSON.")
}
