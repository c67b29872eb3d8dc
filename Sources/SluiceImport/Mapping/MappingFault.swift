package import SluiceSchema

/// A word of a mapping that means nothing in the legacy store it is for.
package struct MappingFault: Hashable, Sendable, CustomStringConvertible {
    package let file: String
    package let line: Int
    package let column: Int
    package let found: String
    package let expected: String
    /// The known word that was probably meant.
    package let suggestion: String?

    package init(_ mapping: LegacyMapping, _ word: LegacyMapping.Word, found: String, expected: String, suggestion: String? = nil) {
        file = mapping.file
        line = word.line
        column = word.column
        self.found = found
        self.expected = expected
        self.suggestion = suggestion
    }

    package var description: String {
        let text = "\(file):\(line):\(column): found \(found); expected \(expected)"
        return suggestion.map { "\(text). Did you mean `\($0)`?" } ?? text
    }
}
