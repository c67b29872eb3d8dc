// A value is whatever somebody typed on some device. Where it is printed it must stay a value: no new line, no command to a terminal, no
// markup of a bar, nothing that a shell expands.

/// One line of text in which nothing is hidden.
enum SafeText {
    /// The text with line ends and tabs as spaces and without other characters that are not shown: controls, and those that turn the direction
    /// of writing, which could make one value look like another.
    static func line(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value >= 0x7F }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: if scalar.properties.isWhitespace { result.append(" ") }
            default: if !scalar.properties.isBidiControl { result.append(scalar) }
            }
        }
        return String(result)
    }
}
