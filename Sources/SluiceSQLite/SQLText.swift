/// Names and literals inside SQL text.
///
/// Values travel as bound parameters; only names, which cannot be bound, pass through here.
package enum SQLText {
    /// A name in double quotes, its own quotes doubled.
    package static func name(_ name: String) -> String { quoted(name, by: "\"") }

    /// A string literal in single quotes, for DDL (defaults and triggers), where nothing can be bound.
    package static func literal(_ text: String) -> String { quoted(text, by: "'") }

    /// `?, ?, ?`
    package static func placeholders(_ count: Int) -> String {
        Array(repeating: "?", count: count).joined(separator: ", ")
    }

    /// Byte by byte, as SQLite reads: a quote with a combining mark after it is another character to Swift, and ends the name all the same.
    private static func quoted(_ text: String, by quote: Unicode.Scalar) -> String {
        let byte = UInt8(ascii: quote)
        guard text.utf8.contains(byte) else { return "\(quote)\(text)\(quote)" }
        let doubled = text.utf8.flatMap { $0 == byte ? [byte, byte] : [$0] }
        return "\(quote)\(String(decoding: doubled, as: UTF8.self))\(quote)"
    }
}
