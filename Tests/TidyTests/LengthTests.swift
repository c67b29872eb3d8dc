import Testing

/// Files and functions that fit a reader's head.
@Suite struct LengthTests {
    private static let fileLinesMaximum = 400
    private static let functionLinesMaximum = 70
    /// How many functions are longer today. It may shrink; whoever makes one shorter lowers it.
    private static let longFunctionsMaximum = 0

    struct Function: Equatable {
        var name: String
        var line: Int
        var lineCount: Int
    }

    /// Functions and initializers with a body, from the keyword to the closing brace.
    static func functions(in source: SourceText) -> [Function] {
        let bytes = Array(source.code.utf8)
        return source.code.matches(of: /\b(?:func[ \t]+([^\s(<]+)|(init|deinit|subscript)\b[?!]?(?=[ \t]*[(<{]))/).compactMap { match in
            let start = source.code.utf8.distance(from: source.code.startIndex, to: match.range.lowerBound)
            // `self.init(…)` calls one.
            if start > 0, bytes[start - 1] == UInt8(ascii: ".") { return nil }
            guard let end = endOfBody(from: start, in: bytes) else { return nil }
            let lines = bytes[start...end].count { $0 == UInt8(ascii: "\n") }
            let line = 1 + bytes[..<start].count { $0 == UInt8(ascii: "\n") }
            return Function(name: String(match.1 ?? match.2 ?? ""), line: line, lineCount: lines + 1)
        }
    }

    /// Nil where a requirement without a body stands.
    private static func endOfBody(from start: Int, in bytes: [UInt8]) -> Int? {
        var parentheses = 0
        var braces = 0
        for index in start..<bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "("), UInt8(ascii: "["): parentheses += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"): parentheses -= 1
            case UInt8(ascii: "{") where parentheses == 0: braces += 1
            case UInt8(ascii: "}") where parentheses == 0:
                braces -= 1
                if braces == 0 { return index }
                if braces < 0 { return nil }
            case UInt8(ascii: "\n") where parentheses == 0 && braces == 0:
                // The head ends here unless the next line carries it on.
                let next = bytes[(index + 1)...].drop { $0 == UInt8(ascii: " ") }
                let carriesOn = ["{", "->", "where ", "throws", "async", "rethrows"].contains { next.starts(with: $0.utf8) }
                if !carriesOn { return nil }
            default: break
            }
        }
        return nil
    }

    @Test func `no file is longer than two readings`() {
        for source in SourceTree.sources + SourceTree.tests {
            #expect(source.lineCount <= Self.fileLinesMaximum, "\(source.path) has \(source.lineCount) lines: split it by responsibility")
        }
    }

    @Test func `long functions become fewer, never more`() {
        let long = (SourceTree.sources + SourceTree.tests).flatMap { source in
            Self.functions(in: source).filter { $0.lineCount > Self.functionLinesMaximum }
                .map { "\(source.path):\($0.line) \($0.name): \($0.lineCount) lines" }
        }
        #expect(long.count == Self.longFunctionsMaximum, "\(long)")
    }

    @Test func `functions are measured as people count them`() {
        let text = """
            protocol Store { func open() throws
                func close(_ why: String = "}{") -> Int
            }
            struct Row {
                init(_ value: Int,
                     other: (Int) -> Int = { $0 }) {
                    self.init()
                }
                func read() throws
                    -> Int
                {
                    // }
                    [1].map { "\\($0)}" }.count
                }
            }
            """
        let found = Self.functions(in: SourceText(path: "Sources/Planted/Planted.swift", text: text))
        #expect(found == [.init(name: "init", line: 5, lineCount: 4), .init(name: "read", line: 9, lineCount: 6)])
    }
}
