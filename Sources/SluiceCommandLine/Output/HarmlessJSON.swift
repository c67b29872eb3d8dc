extension String {
    /// A JSON text with those characters as `\u` escapes that the encoder leaves as they are, but a terminal takes for a command, or for an
    /// order to write in the other direction. They stand in strings only, where the escape means the same.
    var harmlessJSON: String {
        // Most texts are plain, and bytes are looked at faster than scalars.
        if utf8.allSatisfy({ $0 < 0x7F }) { return self }
        guard unicodeScalars.contains(where: Self.isHarmful) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if Self.isHarmful(scalar) {
                // All of them are of the first plane: four digits.
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        (0x7F...0x9F).contains(scalar.value) || scalar == "\u{2028}" || scalar == "\u{2029}" || scalar.properties.isBidiControl
    }
}
