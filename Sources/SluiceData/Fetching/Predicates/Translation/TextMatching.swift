// Text within text. SQL finds bytes and Swift finds characters (CharacterSearch says where they differ), so bytes only rule out, and decide
// by themselves where every byte is a character. Never LIKE: in what a user typed, `%` and `_` are letters.

import Foundation
import SluiceSchema
import SluiceSQLite
import SluiceStore

extension PredicateTranslator {
    /// - Throws: `SwiftDataError.unsupportedPredicate` for what is no text.
    func contains(_ text: SQLTerm, _ search: SQLTerm) throws -> Condition {
        if case .constant(let text) = text, case .constant(let search) = search, let text = text as? String, let search = search as? String {
            return Condition(CharacterSearch.contains(text, search))
        }
        let text = try value(text, as: String.self, comparedBy: .text).comparison
        guard case .constant(let constant) = search, let constant = constant as? String else {
            return Condition("\(sql: SQLFunctions.contains)(\(text), \(try value(search, as: String.self, comparedBy: .text).comparison))")
        }
        let search = CanonicalText.nfc(constant)
        if search.isEmpty { return Condition(true) }
        let check: SQLFragment = "\(sql: SQLFunctions.contains)(\(text), \(bind: .text(search)))"
        let exact = CharacterSearch.isPlainSearch(search) ? "(\(isASCII(text)) OR \(check))" as SQLFragment : check
        return Condition("(instr(\(text), \(bind: .text(search))) > 0 AND \(exact))")
    }

    /// - Throws: `SwiftDataError.unsupportedPredicate` for what is no text.
    func starts(_ text: SQLTerm, with prefix: SQLTerm) throws -> Condition {
        if case .constant(let text) = text, case .constant(let prefix) = prefix, let text = text as? String, let prefix = prefix as? String {
            return Condition(CharacterSearch.starts(text, with: prefix))
        }
        let text = try value(text, as: String.self, comparedBy: .text).comparison
        guard case .constant(let constant) = prefix, let constant = constant as? String else {
            return Condition("\(sql: SQLFunctions.starts)(\(text), \(try value(prefix, as: String.self, comparedBy: .text).comparison))")
        }
        let prefix = CanonicalText.nfc(constant)
        if prefix.isEmpty { return Condition(true) }
        let check: SQLFragment = "\(sql: SQLFunctions.starts)(\(text), \(bind: .text(prefix)))"
        let exact = CharacterSearch.isPlainSearch(prefix + "x") ? "(\(isASCII(text)) OR \(check))" as SQLFragment : check
        // A range of the column's order, which an index serves.
        var condition = Condition("(\(text) >= \(bind: .text(prefix)))")
        if let end = Self.end(ofPrefix: prefix) { condition = condition.and(Condition("(\(text) < \(bind: .text(end)))")) }
        return condition.and(Condition(prefix.utf8.last == 0x0D ? check : exact))
    }

    /// - Throws: `SwiftDataError.unsupportedPredicate` for what is no text.
    func finds(_ search: SQLTerm, in text: SQLTerm) throws -> Condition {
        if case .constant(let text) = text, case .constant(let search) = search, let text = text as? String, let search = search as? String {
            return Condition(FoldedText.contains(text, search))
        }
        let (text, search) = (try value(text, as: String.self, comparedBy: .text), try value(search, as: String.self, comparedBy: .text))
        return Condition("\(sql: SQLFunctions.search)(\(text.sql), \(search.sql))")
    }

    // MARK: Measures

    func isEmpty(_ text: ValueTerm) -> Condition { Condition("(\(text.comparison) = '')", opposite: "(\(text.comparison) IS NOT '')") }

    /// The number of characters, not of code points.
    func count(_ text: ValueTerm) throws -> ValueTerm {
        let text = text.comparison
        let isPlain: SQLFragment = "\(isASCII(text)) AND instr(\(text), char(13)) = 0"
        return ValueTerm("iif(\(isPlain), length(\(text)), \(sql: SQLFunctions.count)(\(text)))", form: try form(of: Int.self), causes: [text])
    }

    /// Holds for a text whose bytes are its code points and that has no NUL, at which `length` stops.
    private func isASCII(_ text: SQLFragment) -> SQLFragment { "length(CAST(\(text) AS BLOB)) = length(\(text))" }

    /// The least text that is greater than every text with this prefix; nil where there is none.
    private static func end(ofPrefix prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // Surrogates are no scalars: after the last one before them comes the first one behind.
            guard let next = Unicode.Scalar(last.value + 1) ?? (last.value == 0xD7FF ? Unicode.Scalar(0xE000) : nil) else { continue }
            var text = String.UnicodeScalarView(scalars)
            text.append(next)
            return String(text)
        }
        return nil
    }
}
