/// One thing that is wrong in a configuration file.
package struct ConfigurationFault: Hashable, Sendable, Codable {
    package let file: String
    package let line: Int
    package let column: Int
    package let found: String
    package let expected: String
    /// The known word that was probably meant.
    package let suggestion: String?

    package init(file: String, position: Position, found: String, expected: String, suggestion: String? = nil) {
        self.file = file
        line = position.line
        column = position.column
        self.found = found
        self.expected = expected
        self.suggestion = suggestion
    }
}

extension ConfigurationFault: CustomStringConvertible {
    package var description: String {
        let text = "\(file):\(line):\(column): found \(found); expected \(expected)"
        return suggestion.map { "\(text). Did you mean `\($0)`?" } ?? text
    }
}

/// A configuration that cannot be used, with every fault that was found in it, in the order of the files and their lines.
package struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    package let faults: [ConfigurationFault]

    package init(_ faults: [ConfigurationFault]) { self.faults = faults }

    init(_ file: String, _ position: Position, found: String, expected: String) {
        faults = [ConfigurationFault(file: file, position: position, found: found, expected: expected)]
    }

    package var description: String { faults.map(\.description).joined(separator: "\n") }
}
