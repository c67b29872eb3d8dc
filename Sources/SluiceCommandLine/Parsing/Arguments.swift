/// The arguments of one command, parsed and checked against its declaration.
package struct Arguments: Sendable {
    /// The texts given for each parameter, by its name, in the order they were typed; a flag has an empty text for each time it was given.
    var texts: [String: [String]] = [:]

    package func isSet(_ flag: Flag) -> Bool { texts[flag.declaration.name] != nil }

    /// Nil if it was not given and has no default.
    package func value<Value>(of parameter: Parameter<Value>) -> Value? { values(of: parameter).first }

    /// All values of a parameter that may be given more than once.
    package func values<Value>(of parameter: Parameter<Value>) -> [Value] {
        let given = texts[parameter.declaration.name] ?? parameter.declaration.defaultText.map { [$0] } ?? []
        // A loop: `compactMap`, unspecialized here, looks its types up anew in every helper that starts.
        var values: [Value] = []
        for text in given { if let value = Value(argument: text) { values.append(value) } }
        return values
    }

    /// - Precondition: the parameter is declared as required, or has a default.
    package func required<Value>(_ parameter: Parameter<Value>) -> Value {
        guard let value = value(of: parameter) else {
            preconditionFailure("\(parameter.declaration.name) is neither listed as a required parameter nor has a default of its type")
        }
        return value
    }
}
