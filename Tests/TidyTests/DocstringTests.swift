import Testing

/// Every public symbol of SluiceData says what it is.
@Suite struct DocstringTests {
    /// A declaration as it stands on one line.
    struct Declaration: Equatable {
        var kind: String
        var name: String
        /// From 1.
        var line: Int
    }

    /// Requirements of the standard library and Foundation, which say themselves what they are.
    private static let witnesses: Set<String> = [
        "==", "<", "hash", "encode", "description", "debugDescription", "errorDescription", "failureReason", "id", "subscript",
        "startIndex", "endIndex", "index", "makeIterator", "next", "stringValue", "intValue",
    ]

    private static var sources: [SourceText] { SourceTree.sources.filter { $0.path.hasPrefix("Sources/SluiceData/") } }

    private static func lines(_ text: String) -> [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

    /// What is public; extensions are not, their members are.
    static func declarations(in source: SourceText) -> [Declaration] {
        let head =
            #/
            ^\s* (?: @\w+ (?: \( [^\)]* \) )? \s+ )* (?: public | open ) (?: \( [a-z]+ \) )? \s+
            (?: (?! (?: func | var | let | init | subscript | struct | enum | protocol | actor | typealias | macro ) \b )
                [a-z]+ (?: \( [a-z]+ \) )? \s+ )*?
            (func | var | let | init | subscript | struct | class | enum | protocol | actor | typealias | macro) \b [?!]? \s*
            ([^\s\(:<\{=]*)
            /#
        return lines(source.code).enumerated().compactMap { number, line in
            guard let match = line.firstMatch(of: head) else { return nil }
            // `class func` is a function.
            if match.1 == "class", let member = line.firstMatch(of: /\bclass\s+(func|var)\s+([^\s(:<{=]+)/) {
                return Declaration(kind: String(member.1), name: String(member.2), line: number + 1)
            }
            let kind = String(match.1)
            let isOperator = kind == "func" && match.2.isEmpty
            let name = isOperator ? "<" : kind == "init" || kind == "subscript" ? kind : String(match.2)
            return Declaration(kind: kind, name: name.hasPrefix("==") ? "==" : name, line: number + 1)
        }
    }

    /// Names of the requirements of the module's own protocols: what they are is said there.
    static func requirements(in source: SourceText) -> Set<String> {
        var names: Set<String> = []
        var isInside = false
        for line in lines(source.code) {
            if line.contains(/^(?:public|package) protocol/), !line.contains(/\}\s*$/) { isInside = true }
            if line.hasPrefix("}") { isInside = false }
            let match = line.firstMatch(of: /^\s+(?:@\w+\s+)*(?:static |mutating )*(?:func|var|associatedtype)\s+([^\s(:<]+)/)
            if isInside, let match { names.insert(String(match.1)) }
        }
        return names
    }

    /// Whether documentation stands above a line, attributes and conditions between them left out.
    private static func isDocumented(_ line: Int, in text: [Substring]) -> Bool {
        let above = text[..<(line - 1)].last { !$0.contains(/^\s*(?:@\w|#if|#else|#endif)/) }
        return above?.contains(/^\s*(?:\/\/\/|\*\/)/) ?? false
    }

    static func undocumented(in source: SourceText, requirements: Set<String>) -> [Declaration] {
        let text = lines(source.text)
        var last: String?
        return declarations(in: source).filter { declaration in
            let line = text[declaration.line - 1]
            let isExempt =
                witnesses.contains(declaration.name) || requirements.contains(declaration.name) && declaration.kind != "init"
                // What macros write and call is described in the contract beside it.
                || declaration.name.hasPrefix("_") || line.contains("override ")
                || declaration.kind == "init" && line.contains(/init\??\((?:from decoder|stringValue|intValue)/)
            // Overloads are documented once, by the first of them.
            let isSaid = declaration.name == last || isDocumented(declaration.line, in: text)
            last = isSaid ? declaration.name : nil
            return !isSaid && !isExempt
        }
    }

    @Test func `every public symbol of SluiceData has documentation`() {
        let requirements = Self.sources.reduce(into: Set<String>()) { $0.formUnion(Self.requirements(in: $1)) }
        #expect(requirements.contains("getValue") && Self.sources.flatMap(Self.declarations).count > 500)
        for source in Self.sources {
            let missing = Self.undocumented(in: source, requirements: requirements)
            #expect(missing.isEmpty, "\(source.path): \(missing.map { "line \($0.line): \($0.kind) \($0.name)" })")
        }
    }

    @Test func `a symbol without documentation is found, a witness and an overload are not`() {
        let source = SourceText(
            path: "Sources/SluiceData/Sample.swift",
            text: """
                /// A sample.
                public struct Sample {
                    public let bare: Int
                    /// Documented.
                    @inlinable
                    public static func make() -> Sample { Sample() }
                    public static func make(_ count: Int) -> Sample { Sample() }
                    public static func == (left: Sample, right: Sample) -> Bool { true }
                    public static func < (left: Sample, right: Sample) -> Bool { true }
                    public private(set) var count = 0
                    public init(from decoder: any Decoder) throws {}
                    public init() {}
                    public func required() {}
                    var hidden = "public var inText"
                }
                """)
        let found = Self.undocumented(in: source, requirements: ["required"])
        #expect(found.map(\.name) == ["bare", "count", "init"] && found.map(\.line) == [3, 10, 12])
    }
}
