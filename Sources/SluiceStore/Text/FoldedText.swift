// What a person who searches regards as the same. One folding for both sides: the predicate in memory and the function that statements
// call.
//
// Case and diacritics go as Foundation folds them in the root locale, whatever locale the process runs in: ß becomes ss, the dotless ı
// stays what it is while İ and I become i, ﬁ becomes fi, ё becomes е, and letters that only look alike (ø and o, ł and l) stay apart.

import Foundation
import SluiceSchema

/// Text without case and diacritics.
package enum FoldedText {
    package static func fold(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
        return text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
    }

    /// Whether `search` stands in `text`, both folded. The empty text stands nowhere, as in Foundation's `localizedStandardContains`.
    package static func contains(_ text: String, _ search: String) -> Bool { contains(text, folded: fold(search)) }

    package static func contains(_ text: String, folded search: String) -> Bool {
        !search.isEmpty && CharacterSearch.contains(fold(text), search)
    }
}

/// A search text made ready once for many calls.
package final class FoldedSearch {
    package let text: String
    /// Its bytes where each of them is a character: texts of ASCII are then searched without making strings of them.
    private let bytes: [UInt8]?

    package init(_ search: String) {
        text = FoldedText.fold(search)
        bytes = CharacterSearch.isPlain(text) ? Array(text.utf8) : nil
    }

    package func isFound(in candidate: UnsafeBufferPointer<UInt8>) -> Bool {
        if CharacterSearch.isPlain(candidate) {
            guard let bytes, !bytes.isEmpty else { return false }
            return CharacterSearch.contains(candidate.lazy.map { $0 >= 0x41 && $0 <= 0x5A ? $0 + 0x20 : $0 }, bytes)
        }
        return FoldedText.contains(String(decoding: candidate, as: UTF8.self), folded: text)
    }
}
