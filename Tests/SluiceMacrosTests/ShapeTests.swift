import Testing

/// What the expansion of a property or class is made of, where the whole text would hide the point.
@Suite struct ShapeTests {
    private func lines(_ source: String, _ conformances: [String] = ["PersistentModel", "Sendable"]) -> [String] {
        unindented(Expansion(of: source, conformances: conformances).text)
    }

    @Test func `what is not stored has no slot and no metadata`() throws {
        let source = """
            @Model final class Note {
                var a: Int { 1 }
                static var b = 2
                lazy var c = 3
                @Transient var d = 4
                private var _e: _SwiftDataNoType = _SwiftDataNoType()
                init() {}
            }
            """
        #expect(!Expansion(of: source).text.contains("storageRestrictions"))
        let lines = lines(source)
        let metadata = try #require(lines.firstIndex { $0.hasPrefix("static var schemaMetadata") })
        #expect(lines[metadata + 1] == "[]")
    }

    @Test func `properties count in the order of their declarations`() {
        let lines = lines("@Model final class Note {\nvar a: Int\nvar skipped: Int { 1 }\n#if DEBUG\nvar b: Int\n#endif\nvar c: Int\n}")
        for (index, name) in ["a", "b", "c"].enumerated() {
            #expect(lines.contains("_$row.read(&self.\(name), at: _$base + \(index))"))
            #expect(lines.contains("_$row.write(self.\(name), at: _$base + \(index))"))
            #expect(lines.contains("_$visitor.visit(&self.\(name), at: _$base + \(index))"))
        }
        #expect(lines.contains("return _$read(_$backingData.c, at: 2)"))
        #expect(lines.contains("_$backingData.c = _$assigned(newValue, at: 2)"))
    }

    @Test func `an inactive branch of a condition takes no place`() {
        let text = Expansion(of: "@Model final class Note {\n#if os(macOS)\nvar a = 1\n#endif\nvar b = 2\n}").text
        #expect(text.contains("_$row.read(&self.b, at: _$base + 0)"))
        #expect(!text.contains("self.a"))
    }

    @Test func `a class that may inherit counts from its base`() {
        let root = lines("@Model class Note: Named { var a: Int = 1 }")
        #expect(root.contains("private static var _$base: Int {"))
        #expect(root.contains("return _$read(_$backingData.a, at: Self._$base + 0)"))
        let sub = lines("@Model class Memo: Note { var a: Int = 1 }", [])
        #expect(sub.contains("private static let _$base = SluiceData._inheritedPropertyCount(of: Memo.self)"))
        #expect(!lines("@Model class Note { var a: Int = 1 }").contains { $0.contains("static var _$base") })
    }

    @Test func `a slot is optional once more, and never implicitly unwrapped`() {
        let declarations = "var a: Int\nvar b: Int?\nvar c: Int!\nvar d: any Shape\nvar e: [Int]\nvar f: Outer.Inner<Int>\nvar g = 3"
        let lines = lines("@Model final class Note { \(declarations) }")
        let slots = [
            "var a: Int?", "var b: Int??", "var c: Int??", "var d: (any Shape)?", "var e: [Int]?", "var f: Outer.Inner<Int>?",
            "var g = SluiceData._emptySlot(3)",
        ]
        for slot in slots { #expect(lines.contains(slot), "\(slot)") }
    }

    @Test func `the peer of an optional property keeps the mark, and only a property with a first value has one of its own`() {
        let lines = lines("@Model final class Note { var a: Int\nvar b: Int?\nvar c: Int!\ninit() {} }")
        #expect(lines.contains("private var _a: _SwiftDataNoType"))
        #expect(lines.contains("private var _b: _SwiftDataNoType? = _SwiftDataNoType()"))
        #expect(lines.contains("private var _c: _SwiftDataNoType! = _SwiftDataNoType()"))
    }

    @Test func `a default value says its type in the metadata`() {
        let text = Expansion(
            of: "@Model final class Note { var a: Status = .draft\nvar b: Int! = 3\nvar c = 4\nvar d: Int? = nil\ninit() {} }"
        ).text
        #expect(text.contains("\\Note.a, defaultValue: (.draft as Status), metadata: nil"))
        #expect(text.contains("\\Note.b, defaultValue: (3 as Int?), metadata: nil"))
        #expect(text.contains("\\Note.c, defaultValue: 4, metadata: nil"))
        #expect(text.contains("\\Note.d, defaultValue: nil, metadata: nil"))
    }

    @Test func `a property type called Model is not the storage's own`() {
        let lines = lines("@Model final class Car { var model: Model?\nvar other: Maker.Model\ninit() {} }")
        #expect(lines.contains("typealias model = Model?"))
        #expect(lines.contains("var model: _$SlotType.model?"))
        #expect(lines.contains("var other: Maker.Model?"))
    }

    @Test func `a class called Model is not its storage's alias of itself`() {
        let lines = lines("@Model final class Model {\nvar next: Model?\n}")
        #expect(lines.contains("typealias _$model = Model"))
        #expect(lines.contains("typealias Model = _$SlotType._$model"))
        #expect(lines.contains("var next: _$SlotType.next?"))
    }

    @Test func `a computed property that initialises others is not persisted`() {
        let source = """
            @Model final class Note {
                var key: Key {
                    @storageRestrictions(accesses: _$backingData, initializes: _raw)
                    init(initialValue) { _$backingData.setValue(forKey: \\.raw, to: initialValue.raw); _raw = _SwiftDataNoType() }
                    get { Key(raw) }
                    set { raw = newValue.raw }
                }
                var raw: String
                init(key: Key) { self.key = key }
            }
            """
        let lines = lines(source)
        #expect(lines.contains("_$row.read(&self.raw, at: _$base + 0)"))
        #expect(!lines.contains { $0.contains("self.key,") })
    }

    @Test func `indices come before unique constraints`() throws {
        let lines = lines("@Model final class Note {\n#Unique<Note>([\\.a])\n#Index<Note>(.rtree([\\.a]))\nvar a = 1\ninit() {} }")
        let index = try #require(lines.firstIndex { $0.contains("metadata: SluiceData.Schema.Index<Note>(.rtree([\\.a]))") })
        let unique = try #require(lines.firstIndex { $0.contains("metadata: SluiceData.Schema.Unique<Note>([\\.a])") })
        #expect(index < unique)
    }

    @Test func `accessors written by hand are kept and counted`() {
        let source = """
            @Model final class Note {
                var p: Int {
                    @storageRestrictions(accesses: _$backingData, initializes: _p)
                    init(initialValue) { _$backingData.setValue(forKey: \\.p, to: initialValue); _p = _SwiftDataNoType() }
                    get { self.getValue(forKey: \\.p) }
                    set { self.setValue(forKey: \\.p, to: newValue) }
                }
                @Transient private var _p: _SwiftDataNoType = _SwiftDataNoType()
                var q: Int
                init() {}
            }
            """
        let lines = lines(source)
        #expect(lines.contains("_$row.read(&self.p, at: _$base + 0)"))
        #expect(lines.contains("return _$read(_$backingData.q, at: 1)"))
        #expect(!lines.contains { $0.contains("_$read(_$backingData.p") })
        #expect(lines.filter { $0.contains("var _p:") }.count == 1)
    }

    @Test func `an observer of a property says self where it sets the property`() {
        let lines = lines("@Model final class Note { var a: Int = 1 { didSet { if a > 9 { a = 9 }; other.a = a } }\ninit() {} }")
        #expect(lines.contains("if self.a > 9 {"))
        #expect(lines.contains("self.a = 9"))
        #expect(lines.contains { $0.contains("other.a = self.a") })
    }

    @Test func `an observer that has a variable of the property's name is left alone`() {
        let lines = lines("@Model final class Note { var a: Int = 1 { didSet { let a = 3; print(a) } }\ninit() {} }")
        #expect(!lines.contains { $0.contains("print(self.a)") })
    }

    @Test func `metadata of deprecated properties is read without a warning`() {
        let lines = lines("@Model final class Note { @available(*, deprecated) var a = 1\ninit() {} }")
        #expect(lines.contains("@available(*, deprecated)"))
        #expect(lines.contains { $0.hasPrefix("static var schemaMetadata") })
    }

    @Test(arguments: [
        ("final class", "static var", "init(_$state"), ("class", "class var", "required init(_$state"),
        ("public final class", "public static var", "public init(_$state"),
        ("open class", "open class var", "public required init(_$state"),
        ("package class", "package class var", "package required init(_$state"),
    ])
    func `members are as visible as the class`(head: String, property: String, initializer: String) {
        let lines = lines("@Model \(head) Note { init() {} }")
        #expect(lines.contains { $0.hasPrefix("\(property) schemaMetadata") })
        #expect(lines.contains { $0.hasPrefix(initializer) })
    }

    @Test func `a model that conforms by hand is a root`() {
        let text = Expansion(of: "@Model final class Note: SwiftData.PersistentModel { init() {} }", conformances: ["Sendable"]).text
        #expect(text.contains("var _$state: SluiceData._ModelState {"))
        #expect(!text.contains("super."))
    }
}
