// Swift searches characters, not code units: "e\u{301}" has no "e", "\r\n" has no "\n", and a flag is not made of half of two others. SQL
// searches bytes. What follows is what both must agree on, and the cheap cases in which bytes are enough.

/// Text within text, as predicates in memory find it.
package enum CharacterSearch {
    /// Whether `search` stands in `text`, by characters. The empty text stands in every text.
    package static func contains(_ text: String, _ search: String) -> Bool {
        if isPlain(text), isPlain(search) { return contains(Array(text.utf8), Array(search.utf8)) }
        return sequence(text, contains: search)
    }

    package static func ends(_ text: String, with suffix: String) -> Bool { text.reversed().starts(with: suffix.reversed()) }

    package static func starts(_ text: String, with prefix: String) -> Bool { text.starts(with: prefix) }

    /// Whether each byte is a character of its own.
    package static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 && $0 != 0x0D } }

    package static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool { bytes.allSatisfy { $0 < 0x80 && $0 != 0x0D } }

    /// Whether finding the bytes of `search` in a text of ASCII is finding its characters: neither end of it can fall between a carriage
    /// return and a line feed.
    package static func isPlainSearch(_ search: String) -> Bool {
        search.utf8.allSatisfy { $0 < 0x80 } && search.utf8.first != 0x0A && search.utf8.last != 0x0D
    }

    /// Bytes within bytes.
    package static func contains(_ bytes: some RandomAccessCollection<UInt8>, _ search: [UInt8]) -> Bool {
        guard let first = search.first else { return true }
        guard bytes.count >= search.count else { return false }
        var start = bytes.startIndex
        let last = bytes.index(bytes.endIndex, offsetBy: -search.count)
        while start <= last {
            guard let found = bytes[start...last].firstIndex(of: first) else { return false }
            if bytes[found...].starts(with: search) { return true }
            start = bytes.index(after: found)
        }
        return false
    }

    /// The standard library's search over elements: the very one that a predicate runs in memory.
    private static func sequence<Text: Collection>(_ text: Text, contains search: Text) -> Bool where Text.Element: Equatable {
        text.contains(search)
    }
}
