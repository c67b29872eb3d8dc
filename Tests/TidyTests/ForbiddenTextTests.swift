import Foundation
import Testing

/// What must not stand in the sources at all.
@Suite struct ForbiddenTextTests {
    struct Rule: Sendable {
        var why: String
        var isBroken: @Sendable (SourceText) -> [Int]

        /// A pattern in code, where comments and literals do not count.
        /// - Parameter hints: one of them stands wherever the pattern matches; looking for them first is much faster.
        static func code(_ pattern: String, _ hints: [String], _ why: String) -> Rule {
            Rule(why: why) { lines(of: pattern, hints, in: $0.code) }
        }

        /// A pattern anywhere.
        static func text(_ pattern: String, _ hints: [String], _ why: String) -> Rule {
            Rule(why: why) { lines(of: pattern, hints, in: $0.text) }
        }

        private static func lines(of pattern: String, _ hints: [String], in text: String) -> [Int] {
            guard hints.contains(where: text.contains) else { return [] }
            // A pattern that does not parse breaks every file: the rule shows at once.
            guard let regex = try? Regex(pattern) else { return [0] }
            return text.matches(of: regex).map { SourceText.line(of: $0.range.lowerBound, in: text) }
        }
    }

    static let rules: [Rule] = [
        .text(#"\b(?:TODO|FIXME|XXX|HACK)\b"#, ["TODO", "FIXME", "XXX", "HACK"], "unfinished work belongs in an issue"),
        .code(#"\bfatalError\("#, ["fatalError("], "what a user or a peer can cause is thrown; a programmer's mistake is a precondition"),
        .code(#"\btry!"#, ["try!"], "an error that cannot happen still needs its reason"),
        .code(#"\bas!"#, ["as!"], "a cast whose safety nobody sees"),
        .code(#"(?m)\bcatch \{\s*\}"#, ["catch {"], "a failure that nobody hears of"),
        .text(#"(?m)(?:^|[^\w.])/(?:work|root|Users)/"#, ["/work/", "/root/", "/Users/"], "a path of one machine"),
        .text(
            #"(?i)\b(?:npmjs|pypi|pythonhosted|crates|rubygems|golang|docker|ghcr|quay|maven|gitlab|github)\.(?:com|org|io|dev)\b"#,
            [".com", ".org", ".io", ".dev"], "a host of a registry"),
    ]

    static let formats = ["swift", "h", "c", "modulemap", "md", "yaml", "sh", "service"]

    /// Sources, and everything else that is shipped.
    private static var shipped: [SourceText] {
        ["Sources", "Config", "Deploy", "Docs"].flatMap(SourceTree.files)
            .filter { path in formats.contains { path.hasSuffix(".\($0)") } }
            .compactMap { path in (try? SourceTree.text(path)).map { SourceText(path: path, text: $0) } }
    }

    @Test func `nothing forbidden stands in what is shipped`() {
        for source in Self.shipped {
            for rule in Self.rules {
                let lines = rule.isBroken(source)
                #expect(lines.isEmpty, "\(source.path) lines \(lines): \(rule.why)")
            }
        }
    }

    @Test(
        "each rule catches what it forbids",
        arguments: [
            "// TODO: later", "guard ok else { fatalError(\"no\") }", "let value = try! load()", "let text = value as! String",
            "do { try run() } catch { }", "let folder = \"/root/store\"", "// see https://pypi.org/x",
        ])
    func planted(text: String) {
        let source = SourceText(path: "Sources/Planted/Planted.swift", text: text)
        #expect(Self.rules.count { !$0.isBroken(source).isEmpty } == 1)
    }

    @Test func `the same words where they do no harm are let be`() {
        let source = SourceText(
            path: "Sources/Planted/Planted.swift",
            text: """
                // fatalError( and try! are not used; Sources/work/x is relative.
                let text = "as! \\(value)"
                do { try run() } catch { log(error) }
                """)
        #expect(Self.rules.allSatisfy { $0.isBroken(source).isEmpty })
    }
}
