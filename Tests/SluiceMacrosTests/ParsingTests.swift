import Testing

/// Declarations of every kind that a model may hold expand to code that parses, without a finding.
@Suite struct ParsingTests {
    static let declarations = [
        "var a: Int = 3", "var a = 3", "var a: String", "var a: Int?", "var a: Int!", "var a: Optional<Int>", "var a: [Int] = []",
        "var a: [String: Int] = [\"x\": 1]", "var a: Status = .draft", "var a: Date = .now", "var a: Status = .init(rawValue: \"x\")!",
        "var a: Int? = nil", "var a: Int = { let x = 3; return x * 2 }()", "var a = [Int]()", "var a: Set<Status> = [.draft, .done]",
        "var a: (any Shape)?", "var a: any Shape", "var a: Box<Int> = Box(value: 3)", "var a: Outer.Inner<[Int?]>? = nil",
        "var a: (Int, String) = (1, \"\")", "private(set) var a = 3", "public private(set) var a: Int = 3", "private var a: Int = 3",
        "fileprivate var a: Int?", "package var a: Int = 3", "@available(macOS 14, *) var a: Int = 3",
        "@available(*, deprecated, renamed: \"b\") var a: Int = 3", "/// Documented.\nvar a: Int = 3",
        "/* why */ var a: Int = 3 // because",
        "weak var a: Note?", "var `default`: Int = 3", "var `self`: Int = 3", "var `a b`: Int = 3", "var row = 1; var base = 2",
        "var state = 1; var visitor = 2; var initialValue = 3", "var model: Model", "var a: Int = 3 { didSet { print(oldValue) } }",
        "var a: Int = 3 { willSet(next) { guard next > 3 else { return } } didSet(old) { a = old } }", "var a: Int { 3 }",
        "var a: Int { get { 3 } set { } }", "static var a = 3", "static let a = 3", "class var a: Int { 3 }", "lazy var a: Int = 3",
        "@Transient var a: Int = 3", "@Transient var a: Int { 3 }", "func a() -> Int { 3 }", "subscript(a: Int) -> Int { a }",
        "@Attribute(.unique) var a: UUID", "@Attribute(.externalStorage, originalName: \"b\", hashModifier: \"2\") var a: Data?",
        "@Attribute(.transformable(by: ColorTransformer.self)) var a: Color", "@Attribute(.codable) var a: Blob",
        "@SwiftData.Attribute(.spotlight) var a: String", "@Relationship var a: [Note] = []",
        "@Relationship(deleteRule: .cascade, minimumModelCount: 0, maximumModelCount: 3, inverse: \\Note.b) var a: [Note]",
        "#Index<Note>([\\.a], [\\.a, \\.b])", "#Index<Note>(.binary([\\.a]), .rtree([\\.a, \\.b]))", "#Unique<Outer.Note>([\\.a, \\.b])",
        "#if DEBUG\nvar a: Int = 3\n#else\nvar b: Int = 3\n#endif",
        "#if os(macOS)\nvar a: Int = 3\n#elseif DEBUG\n#if os(Linux)\nvar c = 3\n#endif\n#endif",
        "enum Kind: String, Codable { case a }\nvar kind: Kind = .a",
        "private enum Kind: String, Codable { case a }\nprivate var kind = Kind.a",
        """
        var p: Int {
            @storageRestrictions(accesses: _$backingData, initializes: _p)
            init(initialValue) { _$backingData.setValue(forKey: \\.p, to: initialValue); _p = _SwiftDataNoType() }
            get { _$observationRegistrar.access(self, keyPath: \\.p); return self.getValue(forKey: \\.p) }
            set { _$observationRegistrar.withMutation(of: self, keyPath: \\.p) { self.setValue(forKey: \\.p, to: newValue) } }
        }
        @Transient private var _p: _SwiftDataNoType = _SwiftDataNoType()
        """,
    ]

    static let heads = ["final class Note", "open class Note", "public class Note: Named", "private final class Note", "package class Note"]

    @Test(arguments: declarations.enumerated().map { ($0.element, heads[$0.offset % heads.count]) })
    func `a declaration of this kind expands`(declaration: String, head: String) {
        check("@Model \(head) {\n\(declaration)\n}", ["PersistentModel", "Sendable"])
        check("extension SchemaV1 { @Model class Memo: Outer.Note, Codable {\n\(declaration)\ninit() { super.init() }\n} }", [])
    }

    @Test(arguments: ["actor Worker {}", "public actor Worker { var a: Int\n init(modelContainer: ModelContainer) { fatalError() } }"])
    func `a model actor expands`(declaration: String) {
        check("@ModelActor \(declaration)", ["ModelActor"])
    }

    private func check(_ source: String, _ conformances: [String]) {
        let expansion = Expansion(of: source, conformances: conformances)
        #expect(expansion.findings.isEmpty, "\(source)")
        #expect(expansion.parses, "\(expansion.text)")
    }
}
