// Swift's strings are equal when they are canonically equivalent; SQLite compares bytes. NFC brings both together. FoundationEssentials
// has no public NFC, so this takes the one that the standard library compares and hashes strings with; it is exported for Foundation's own
// use.

@_spi(_Unicode) import Swift

/// Text as Swift compares it.
package enum CanonicalText {
    /// The NFC form. Text below U+0300 is in NFC as it stands (Unicode Standard Annex 15, quick check).
    package static func nfc(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.value >= 0x300 }) else { return text }
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: text._nfc)
        return String(scalars)
    }

    /// The NFC form where it differs from the text as written; nil where it is the same bytes.
    package static func shadow(of text: String) -> String? {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return nil }
        let normal = nfc(text)
        return normal.utf8.elementsEqual(text.utf8) ? nil : normal
    }
}
