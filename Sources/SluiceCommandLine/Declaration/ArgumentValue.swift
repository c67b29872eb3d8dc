package import SluiceNotation

/// A type that the text of one argument can be read as.
package protocol ArgumentValue: Sendable {
    /// Nil if the text is not one.
    init?(argument: String)
    /// What the text should have been, to follow "expected": `a whole number`.
    static var expectation: String { get }
    /// The words that it can be; none where they cannot be listed.
    static var choices: [String] { get }
}

extension ArgumentValue {
    package static var choices: [String] { [] }
}

extension String: ArgumentValue {
    package init?(argument: String) { self = argument }
    package static var expectation: String { "text" }
}

extension Int: ArgumentValue {
    package init?(argument: String) { self.init(argument) }
    package static var expectation: String { "a whole number" }
}

extension Double: ArgumentValue {
    package init?(argument: String) { self.init(argument) }
    package static var expectation: String { "a number" }
}

extension Duration: ArgumentValue {
    package init?(argument: String) { self.init(notation: argument) }
    package static var expectation: String { "a duration such as 30s, 5m or 12h" }
}

extension ByteCount: ArgumentValue {
    package init?(argument: String) { self.init(notation: argument) }
    package static var expectation: String { "a size such as 64MiB" }
}

/// An enumeration of words is an argument by declaring `ArgumentValue` and nothing else.
extension ArgumentValue where Self: RawRepresentable & CaseIterable, RawValue == String {
    package init?(argument: String) { self.init(rawValue: argument) }
    package static var expectation: String { "one of " + choices.joined(separator: ", ") }
    package static var choices: [String] { allCases.map(\.rawValue) }
}
