// One Swift file, taken apart as far as a lint needs it: what is code, what is comment, what is text in quotes.
// Nested comments, raw and multi-line literals and code inside interpolations are told apart; regular expression
// literals are not (a rule that meets one sees code).

struct SourceText {
    struct Literal {
        /// What stands between the quotes; an interpolation leaves `\()`.
        var text: String
        var line: Int
    }

    /// Relative to the root of the checkout.
    let path: String
    let text: String
    /// The file with comments and the inside of literals replaced by spaces; lines keep their numbers.
    let code: String
    let literals: [Literal]

    init(path: String, text: String) {
        var scanner = Scanner(Array(text.utf8))
        scanner.scanCode(insideInterpolation: false)
        self.path = path
        self.text = text
        code = String(decoding: scanner.code, as: UTF8.self)
        literals = scanner.literals
    }

    /// The target that the file belongs to.
    var module: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }

    var lineCount: Int { text.utf8.count { $0 == UInt8(ascii: "\n") } }

    /// The line of a place in `code` or `text`.
    static func line(of place: String.Index, in text: String) -> Int {
        1 + text[..<place].utf8.count { $0 == UInt8(ascii: "\n") }
    }
}

private struct Scanner {
    let bytes: [UInt8]
    var code: [UInt8]
    var literals: [SourceText.Literal] = []
    private var index = 0
    private var line = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        code = bytes
    }

    /// Ends at the end of the file, or at the parenthesis that closes the interpolation.
    mutating func scanCode(insideInterpolation: Bool) {
        var depth = 0
        while index < bytes.count {
            if starts("//") {
                while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { blank() }
            } else if starts("/*") {
                scanBlockComment()
            } else if let hashes = literalOpening() {
                scanLiteral(hashes: hashes)
            } else {
                if insideInterpolation, bytes[index] == UInt8(ascii: ")"), depth == 0 { return }
                if bytes[index] == UInt8(ascii: "(") { depth += 1 }
                if bytes[index] == UInt8(ascii: ")") { depth -= 1 }
                step()
            }
        }
    }

    private mutating func scanBlockComment() {
        var depth = 0
        repeat {
            if starts("/*") { depth += 1 } else if starts("*/") { depth -= 1 } else { blank(); continue }
            blank()
            blank()
        } while depth > 0 && index < bytes.count
    }

    private mutating func scanLiteral(hashes: Int) {
        let start = line
        for _ in 0..<hashes { step() }
        let quotes = starts("\"\"\"") ? 3 : 1
        for _ in 0..<quotes { step() }
        let closing = Array(repeating: UInt8(ascii: "\""), count: quotes) + Array(repeating: UInt8(ascii: "#"), count: hashes)
        let escape = [UInt8(ascii: "\\")] + Array(repeating: UInt8(ascii: "#"), count: hashes)
        var content: [UInt8] = []
        while index < bytes.count, !starts(closing) {
            guard starts(escape) else {
                content.append(bytes[index])
                blank()
                continue
            }
            for _ in escape { blank() }
            guard index < bytes.count else { break }
            if bytes[index] == UInt8(ascii: "(") {
                step()
                scanCode(insideInterpolation: true)
                content.append(contentsOf: #"\()"#.utf8)
                if index < bytes.count { step() }
            } else {
                content.append(contentsOf: [UInt8(ascii: "\\"), bytes[index]])
                blank()
            }
        }
        for _ in closing where index < bytes.count { step() }
        literals.append(.init(text: String(decoding: content, as: UTF8.self), line: start))
    }

    /// The number of `#` before the quote, if a literal starts here.
    private func literalOpening() -> Int? {
        var end = index
        while end < bytes.count, bytes[end] == UInt8(ascii: "#") { end += 1 }
        return end < bytes.count && bytes[end] == UInt8(ascii: "\"") ? end - index : nil
    }

    private func starts(_ text: String) -> Bool { starts(Array(text.utf8)) }

    private func starts(_ expected: [UInt8]) -> Bool { bytes[index...].starts(with: expected) }

    private mutating func step() {
        if bytes[index] == UInt8(ascii: "\n") { line += 1 }
        index += 1
    }

    private mutating func blank() {
        if bytes[index] != UInt8(ascii: "\n") { code[index] = UInt8(ascii: " ") }
        step()
    }
}
