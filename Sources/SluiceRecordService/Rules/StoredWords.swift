import Foundation
import Glibc

/// Looks for words in the JSON that storage keeps, so that what is almost never there costs next to nothing: every record that is read or written
/// passes by.
enum StoredWords {
    /// Whether the bytes hold the word, quotes included.
    /// - Parameter word: a quote and a capital letter first; capitals are rare enough to jump from one to the next.
    static func contains(_ word: StaticString, in json: Data) -> Bool {
        json.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return false }
            return word.withUTF8Buffer { word in
                guard let first = word.baseAddress else { return false }
                let end = start + bytes.count
                var next = start
                while next < end, let found = memchr(next, Int32(word[1]), end - next) {
                    let position = UnsafeRawPointer(found) - 1
                    if position >= start, end - position >= word.count, memcmp(position, first, word.count) == 0 { return true }
                    next = UnsafeRawPointer(found) + 1
                }
                return false
            }
        }
    }
}
