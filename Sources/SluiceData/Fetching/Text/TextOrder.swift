// The order of texts as people expect it in a list: case and accents do not separate words, and 9 comes before 10. It is an order of keys,
// bytes that compare as they stand: SQLite sorts by the key that a function makes once for each row, and the comparator in memory compares
// the same keys.
//
// A key has two parts: the folded text with numbers by their size, then the text itself, which decides between texts that fold alike. It
// follows the root locale in every process, so that a store is in one order for all its readers.

import Foundation
import SluiceSchema

/// An order of texts.
enum TextOrder: Int64, Hashable, Sendable {
    /// Numbers within text by their size.
    case standard
    /// Digits one by one.
    case plain

    func key(of text: String) -> TextOrderKey {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * text.utf8.count + 8)
        append(folded(text), to: &bytes)
        bytes.append(0)
        bytes.append(contentsOf: CanonicalText.nfc(text).utf8)
        return TextOrderKey(bytes: bytes)
    }

    private func folded(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
        let folded = text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
        return String(folded.map { Self.expansions[$0] ?? String($0) }.joined())
    }

    /// Letters that have no decomposition and that people look for beside the ones they resemble.
    private static let expansions: [Character: String] = [
        "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ı": "i", "ŀ": "l", "ŧ": "t",
    ]

    private func append(_ text: String, to bytes: inout [UInt8]) {
        let text = Array(text.utf8)
        var place = 0
        while place < text.count {
            let byte = text[place]
            if self == .standard, Self.isDigit(byte) {
                let end = text[place...].firstIndex { !Self.isDigit($0) } ?? text.count
                Self.append(number: text[place..<end], to: &bytes)
                place = end
            } else {
                // 0 ends the first part; in a text it must not look like that.
                if byte <= 1 { bytes.append(1) }
                bytes.append(byte)
                place += 1
            }
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    /// The digit 0, then how many digits there are, then those: a longer number is a greater one.
    private static func append(number digits: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
        let digits = digits.drop { $0 == 0x30 }
        bytes.append(0x30)
        withUnsafeBytes(of: UInt32(clamping: digits.count).bigEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: digits)
    }
}

/// What a text is sorted by.
public struct TextOrderKey: Comparable, Hashable, Sendable {
    let bytes: [UInt8]

    public static func < (left: TextOrderKey, right: TextOrderKey) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
