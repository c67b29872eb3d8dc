/// Names and literals inside SQL text.
///
/// Values travel as bound parameters; only names, which cannot be bound, pass through here.
package enum SQLText {
    /// A name in double quotes, its own quotes doubled.
    package static func name(_ name: some StringProtocol) -> String { quoted(name, by: "\"") }

    /// A string literal in single quotes, for DDL (defaults and triggers), where nothing can be bound.
    package static func literal(_ text: some StringProtocol) -> String { quoted(text, by: "'") }

    /// `?, ?, ?`
    package static func placeholders(_ count: Int) -> String {
        Array(repeating: "?", count: count).joined(separator: ", ")
    }

    private static func quoted(_ text: some StringProtocol, by quote: Character) -> String {
        let doubled = text.split(separator: quote, omittingEmptySubsequences: false).joined(separator: "\(quote)\(quote)")
        return "\(quote)\(doubled)\(quote)"
    }
}
