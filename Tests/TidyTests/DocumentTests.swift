import Foundation
import Testing

/// Pages name only what exists.
@Suite struct DocumentTests {
    /// Pages about the code itself: there, every backquoted type name must be declared somewhere.
    private static var pagesAboutCode: [String] {
        let single = ["Architecture", "Storage", "Testing", "Dependencies"].map { "Docs/\($0).md" }
        return SourceTree.pages.filter { $0.hasPrefix("Docs/Decisions/") || single.contains($0) }
    }

    /// Names of types, modules and suites.
    private static let declared: Set<String> = {
        var names = Set(SourceTree.sources.map(\.module))
        for source in SourceTree.sources + SourceTree.tests {
            let declarations = source.code.matches(of: /\b(?:struct|class|enum|actor|protocol|typealias|macro)[ \t]+([A-Z]\w*)/)
            names.formUnion(declarations.map { String($0.1) })
        }
        for path in SourceTree.files(below: "Tests") + SourceTree.files(below: "Sources") {
            names.formUnion(path.split(separator: "/").dropFirst().prefix(1).map(String.init))
        }
        return names
    }()

    /// Relative targets of links, without their fragments.
    static func links(in text: String) -> [String] {
        text.matches(of: /\]\(([^)\s#]+)(?:#[^)]*)?\)/).map { String($0.1) }.filter { !$0.contains(/^[a-z]+:/) }
    }

    /// Paths into the tree, in backquotes or bare.
    static func paths(in text: String) -> [String] {
        text.matches(of: /\b(?:Sources|Tests|Config|Deploy|Docs)\/[A-Za-z0-9_.\/@-]*[A-Za-z0-9_]/).map { String($0.0) }
    }

    /// Backquoted words that can only be names of Swift types: a capital, then at least one small letter, no other characters.
    static func types(in text: String) -> [String] {
        let pieces = text.split(separator: "```", omittingEmptySubsequences: false)
        let outsideBlocks = pieces.indices.filter { $0.isMultiple(of: 2) }.map { pieces[$0] }
        return outsideBlocks.flatMap { $0.matches(of: /`([A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)(?:\.[a-z]\w*(?:\([\w:]*\))?)?`/)
            .filter { !$0.0.contains(/\.(?:swift|yaml|md|json|store|sh|service)`/) }.map { String($0.1) } }
    }

    /// What a failure table calls a proof: a suite and the sentence of its test.
    static func proofs(in text: String) -> [(suite: String, sentence: String)] {
        text.matches(of: /`(\w+Tests)`: “([^”]+)”/).map { (String($0.1), String($0.2)) }
    }

    @Test func `every relative link points at something`() throws {
        #expect(SourceTree.pages.contains("README.md"))
        for page in SourceTree.pages {
            let folder = URL(filePath: page).deletingLastPathComponent().relativePath
            for link in Self.links(in: try SourceTree.text(page)) {
                #expect(SourceTree.exists("\(folder)/\(link)"), "\(page) links to \(link)")
            }
        }
    }

    @Test func `every path into the tree exists`() throws {
        for page in SourceTree.pages {
            for path in Self.paths(in: try SourceTree.text(page)) {
                #expect(SourceTree.exists(path), "\(page) names \(path)")
            }
        }
    }

    @Test func `pages about the code name only types that exist`() throws {
        for page in Self.pagesAboutCode {
            let unknown = Set(Self.types(in: try SourceTree.text(page))).subtracting(Self.declared).subtracting(Self.foreign).sorted()
            #expect(unknown.isEmpty, "\(page) names \(unknown)")
        }
    }

    /// Types of the toolchain that pages may mention.
    private static let foreign: Set<String> = [
        "String", "Int", "Int64", "Bool", "Double", "Date", "Data", "UUID", "URL", "Decimal", "Duration", "Task", "Mutex", "Sendable",
        "Codable", "Foundation", "FoundationEssentials", "Dispatch", "Synchronization", "JSONEncoder", "JSONDecoder", "Dictionary", "Set",
    ]

    @Test func `a proof in a page is a test that exists`() throws {
        let tests = Dictionary(grouping: SourceTree.tests, by: { URL(filePath: $0.path).deletingPathExtension().lastPathComponent })
        for page in SourceTree.pages {
            for proof in Self.proofs(in: try SourceTree.text(page)) {
                let names = ["`\(proof.sentence)`", "\"\(proof.sentence)\""]
                let found = tests[proof.suite]?.contains { source in names.contains(where: source.text.contains) }
                #expect(found == true, "\(page): \(proof.suite) has no test “\(proof.sentence)”")
            }
        }
    }

    @Test func `the README's example is what the second package runs`() throws {
        let program = try SourceTree.text("Tests/SecondPackage/Sources/Example/main.swift")
        let example = try SourceTree.text("README.md").split(separator: "\n", omittingEmptySubsequences: false)
            .drop { $0 != "    import SluiceData" }.prefix { $0.isEmpty || $0.hasPrefix("    ") }
        let text = example.map { $0.dropFirst(4) }.joined(separator: "\n").trimmingCharacters(in: .newlines)
        #expect(text == program.trimmingCharacters(in: .newlines))
    }

    @Test func `what a page may not say is found`() {
        let page = """
            See [a](Docs/Nowhere.md#part), [b](https://example.com), `Sources/Nothing/At.swift` and `Imaginary.open()`,
            not `Config.yaml` or `NULL`.
            ```
            `Block`
            ```
            """
        #expect(Self.links(in: page) == ["Docs/Nowhere.md"])
        #expect(Self.paths(in: page) == ["Docs/Nowhere.md", "Sources/Nothing/At.swift"])
        #expect(Self.types(in: page) == ["Imaginary"])
        #expect(Self.proofs(in: "`RowTests`: “a row stays”").map(\.sentence) == ["a row stays"])
    }
}
