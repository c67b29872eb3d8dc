// The text of an expression, cut as SQLite cuts it (https://www.sqlite.org/draft/tokenreq.html), to see that it is one expression and stays
// inside the parentheses that we put around it.

/// An SQL expression as somebody wrote it.
struct ExpressionText {
    enum Token: Hashable {
        /// A name or a keyword, unquoted.
        case word(String)
        /// A name in quotes, or a number.
        case other
        case text(String)
        case symbol(UInt8)
    }

    let text: String
    private(set) var tokens: [Token] = []
    /// Why it is no single expression; nil where it may be one.
    private(set) var problem: String?

    init(_ text: String) {
        self.text = text
        var scanner = Scanner(Array(text.utf8))
        while problem == nil, let token = scanner.next() { tokens.append(token) }
        problem = scanner.problem ?? Self.imbalance(tokens)
        if problem == nil, tokens.isEmpty { problem = "nothing" }
    }

    private static func imbalance(_ tokens: [Token]) -> String? {
        var depth = 0
        for token in tokens {
            switch token {
            case .symbol(UInt8(ascii: "(")): depth += 1
            case .symbol(UInt8(ascii: ")")): depth -= 1
            case .symbol(UInt8(ascii: ";")): return "a semicolon"
            case .symbol(UInt8(ascii: "?")), .symbol(UInt8(ascii: ":")), .symbol(UInt8(ascii: "@")), .symbol(UInt8(ascii: "$")):
                return "a placeholder"
            default: break
            }
            if depth < 0 { return "a closing parenthesis too many" }
        }
        return depth > 0 ? "an opening parenthesis too many" : nil
    }

    /// How many arguments each call of a function has.
    func argumentCounts(of functions: Set<String>) -> [(function: String, count: Int)] {
        tokens.indices.dropLast().compactMap { index in
            guard case .word(let name) = tokens[index], functions.contains(name.lowercased()),
                tokens[index + 1] == .symbol(UInt8(ascii: "("))
            else { return nil }
            var (depth, commas, isEmpty) = (0, 0, true)
            for token in tokens[(index + 1)...] {
                if token == .symbol(UInt8(ascii: ")")) {
                    depth -= 1
                    if depth == 0 { break }
                }
                if depth > 0 { isEmpty = false }
                if depth == 1, token == .symbol(UInt8(ascii: ",")) { commas += 1 }
                if token == .symbol(UInt8(ascii: "(")) { depth += 1 }
            }
            return (name.lowercased(), isEmpty ? 0 : commas + 1)
        }
    }

    /// The texts in it, in lower case and without spaces around them.
    var literals: [String] {
        tokens.compactMap { token in
            guard case .text(let text) = token else { return nil }
            return String(text.lowercased().drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
        }
    }
}

private struct Scanner {
    private let bytes: [UInt8]
    private var place = 0
    private(set) var problem: String?

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private func byte(_ offset: Int = 0) -> UInt8? { place + offset < bytes.count ? bytes[place + offset] : nil }

    mutating func next() -> ExpressionText.Token? {
        skipBlank()
        guard problem == nil, let first = byte() else { return nil }
        switch first {
        case 0:
            problem = "a NUL"
            return nil
        case UInt8(ascii: "'"): return quoted(by: first).map(ExpressionText.Token.text)
        case UInt8(ascii: "\""), UInt8(ascii: "`"): return quoted(by: first).map { _ in .other }
        case UInt8(ascii: "["): return quoted(by: UInt8(ascii: "]")).map { _ in .other }
        case _ where Self.isWord(first):
            let start = place
            while let next = byte(), Self.isWord(next) || next == UInt8(ascii: "$") { place += 1 }
            let word = String(decoding: bytes[start..<place], as: UTF8.self)
            return first >= UInt8(ascii: "0") && first <= UInt8(ascii: "9") ? .other : .word(word)
        default:
            place += 1
            return .symbol(first)
        }
    }

    private mutating func skipBlank() {
        while let first = byte() {
            if first == UInt8(ascii: "-"), byte(1) == first {
                while let next = byte(), next != UInt8(ascii: "\n") { place += 1 }
            } else if first == UInt8(ascii: "/"), byte(1) == UInt8(ascii: "*") {
                place += 2
                while byte() != nil, !(byte() == UInt8(ascii: "*") && byte(1) == UInt8(ascii: "/")) { place += 1 }
                if byte() == nil { problem = "a comment without an end" }
                place += 2
            } else if first == 0x20 || (0x09...0x0D).contains(first) && first != 0x0B {
                place += 1
            } else {
                return
            }
        }
    }

    /// What stands between quotes; a doubled one inside is one of the text. Brackets cannot be doubled.
    private mutating func quoted(by quote: UInt8) -> String? {
        place += 1
        var content: [UInt8] = []
        while let next = byte() {
            place += 1
            if next == 0 { break }
            if next == quote {
                guard quote != UInt8(ascii: "]"), byte() == quote else { return String(decoding: content, as: UTF8.self) }
                place += 1
            }
            content.append(next)
        }
        problem = "a quote without an end"
        return nil
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }
}
