/// One timeline of a service's database: random, made with the database, new after a restore that somebody announced.
package struct Epoch: Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Sixteen hexadecimal digits.
    package var text: String { hexadecimal(rawValue) }

    package init?(text: String) {
        guard let value = parseHexadecimal(text[...]) else { return nil }
        rawValue = value
    }

    package var description: String { text }
}

/// Sixteen lower-case digits.
package func hexadecimal(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
}

/// Nil for anything but what `hexadecimal` writes, so that each value has one spelling.
package func parseHexadecimal(_ text: Substring) -> UInt64? {
    guard text.utf8.count == 16, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) else { return nil }
    return UInt64(text, radix: 16)
}
