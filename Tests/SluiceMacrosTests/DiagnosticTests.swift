import SwiftDiagnostics
import Testing

/// Every diagnostic: its words, its place, and the source after its fix-it.
@Suite struct DiagnosticTests {
    /// The only finding in a source.
    private func finding(in source: String, _ conformances: [String] = ["PersistentModel", "Sendable"]) throws -> Expansion.Finding {
        let findings = Expansion(of: source, conformances: conformances).findings
        #expect(findings.count == 1, "\(findings)")
        return try #require(findings.first)
    }

    @Test(arguments: ["struct", "actor"])
    func `a model must be a class, and a fix-it makes it one`(keyword: String) throws {
        let found = try finding(in: "@Model \(keyword) Note { var text = \"\" }")
        #expect(found.message == "'@Model' cannot be applied to \(keyword) type 'Note'")
        #expect(found.severity == .error)
        #expect(found.place == "@Model \(keyword) Note { var text = \"\" }")
        #expect(found.fixed == ["Change '\(keyword)' to 'class'": "@Model class Note { var text = \"\" }"])
    }

    @Test(arguments: ["protocol", "enumeration"])
    func `no change of keyword makes a model of protocols and enumerations`(kind: String) throws {
        let found = try finding(in: "@Model \(kind == "protocol" ? "protocol" : "enum") Note {}")
        #expect(found.message == "'@Model' cannot be applied to \(kind) type 'Note'")
        #expect(found.fixed.isEmpty)
    }

    @Test func `what is no class gets no members, attributes or extensions`() {
        let expansion = Expansion(of: "@Model struct Note { var text = \"\" }")
        #expect(unindented(expansion.text) == ["struct Note { var text = \"\"", "}"])
    }

    @Test func `a generic class cannot be a model`() throws {
        let found = try finding(in: "@Model class Box<Value> { var text = \"\" }")
        #expect(found.message == "'@Model' cannot be applied to generic class 'Box'; one entity has one set of property types")
        #expect(found.place == "<Value> { var text = \"\" }")
    }

    @Test(arguments: ["struct", "class"])
    func `a model actor must be an actor`(keyword: String) throws {
        let found = try finding(in: "@ModelActor\npublic \(keyword) Worker {}")
        #expect(found.message == "'@ModelActor' cannot be applied to \(keyword) type 'Worker'")
        #expect(found.place == "@ModelActor")
        #expect(found.fixed == ["Change '\(keyword)' to 'actor'": "@ModelActor\npublic actor Worker {}"])
    }

    @Test func `an enumeration is no model actor`() throws {
        let found = try finding(in: "@ModelActor enum Worker {}")
        #expect(found.message == "'@ModelActor' cannot be applied to enumeration type 'Worker'")
    }

    @Test func `a subclass with a property to set needs an initialiser, and a fix-it writes it`() throws {
        let source = """
            @Model
            final class Car: Vehicle {
                var doors: Int
                var color: String?
            }
            """
        let found = try finding(in: source, [])
        #expect(found.message == "@Model requires an initializer be provided for 'Car'")
        #expect(found.severity == .error)
        #expect(found.place == "@Model")
        let fixed = """
            @Model
            final class Car: Vehicle {
                var doors: Int
                var color: String?

                init(doors: Int) {
                    self.doors = doors
                    super.init(<#arguments#>)
                }
            }
            """
        #expect(found.fixed == ["Add an initializer": fixed])
    }

    @Test func `an initialiser is written into a class on one line too`() throws {
        let found = try finding(in: "@Model class Car: Vehicle { var doors: Int }", [])
        let fixed = """
            @Model class Car: Vehicle { var doors: Int\(" ")

                init(doors: Int) {
                    self.doors = doors
                    super.init(<#arguments#>)
                }
            }
            """
        #expect(found.fixed == ["Add an initializer": fixed])
    }

    @Test func `a transient property needs a default or an optional type`() throws {
        let source = """
            @Model final class Note {
                @Transient var isOpen: Bool
                init() {}
            }
            """
        let found = try finding(in: source)
        #expect(found.message == "@Transient requires non-optional property 'isOpen' to have a default value")
        #expect(found.severity == .error)
        #expect(found.place == "isOpen: Bool")
        #expect(
            found.fixed == [
                "Add a default value": source.replacing("isOpen: Bool", with: "isOpen: Bool = <#default value#>"),
                "Make the property optional": source.replacing("isOpen: Bool", with: "isOpen: Bool?"),
            ])
    }

    @Test(arguments: [
        "var a = 1", "var a: Int?", "var a: Int!", "let a = 1", "var a: Int { 1 }", "static var a = 1", "lazy var a: Int = 1",
    ])
    func `a transient property that always has a value is fine`(declaration: String) {
        #expect(Expansion(of: "@Model final class Note { @Transient \(declaration); init() {} }").findings.isEmpty)
    }

    @Test func `attribute and relationship exclude each other`() throws {
        let source = "@Model final class Note { @Attribute(.unique) @Relationship var owner: Owner? }"
        let found = try finding(in: source)
        #expect(found.message == "'@Attribute' and '@Relationship' cannot both be applied to property 'owner'")
        #expect(found.severity == .error)
        #expect(found.place == "@Relationship var owner: Owner? }")
        #expect(
            found.fixed == [
                "Remove '@Attribute'": source.replacing("@Attribute(.unique) ", with: ""),
                // The attribute reaches its macro without the space behind it in this process, and with it from the compiler.
                "Remove '@Relationship'": source.replacing("@Relationship ", with: " "),
            ])
    }

    @Test(arguments: [
        ("Attribute", "computed", "var a: Int { 1 }"),
        ("Relationship", "static", "static var a = 1"), ("Attribute", "lazy", "lazy var a = 1"),
    ])
    func `an attribute on what is not stored is warned of`(macro: String, kind: String, declaration: String) throws {
        let found = try finding(in: "@Model final class Note { @\(macro) \(declaration); init() {} }")
        #expect(found.message == "'@\(macro)' has no effect on \(kind) property 'a', which is not stored")
        #expect(found.severity == .warning)
        #expect(found.place == "@\(macro) \(declaration); init() {} }")
        #expect(found.fixed == ["Remove '@\(macro)'": "@Model final class Note { \(declaration); init() {} }"])
    }

    @Test(arguments: ["Attribute", "Relationship", "Transient"])
    func `an attribute that strayed to what is no property is warned of`(macro: String) throws {
        for declaration in ["func f() {}; init() {}", "init() {}"] {
            let found = try finding(in: "@Model final class Note { @\(macro) \(declaration) }")
            #expect(found.message == "'@\(macro)' has no effect here; it says something about a stored property")
            #expect(found.severity == .warning)
            #expect(found.place.hasPrefix("@\(macro) "))
        }
    }

    @Test func `several properties in one declaration are to be split`() throws {
        let source = """
            @Model final class Note {
                /// Where.
                private var x = 1, y: Int, z = 2.5
            }
            """
        let found = try finding(in: source)
        #expect(found.message == "@Model requires each persisted property to have a declaration of its own")
        #expect(found.place == "x = 1, y: Int, z = 2.5")
        let fixed = """
            @Model final class Note {
                /// Where.
                private var x = 1
                private var y: Int
                private var z = 2.5
            }
            """
        #expect(found.fixed == ["Split into declarations of one property each": fixed])
    }

    @Test func `a type that is said once for several properties is said for each`() throws {
        let found = try finding(in: "@Model final class Note {\n    var x, y: Int\n}")
        #expect(found.fixed.values.first == "@Model final class Note {\n    var x: Int\n    var y: Int\n}")
    }

    @Test func `a pattern is no property`() throws {
        let found = try finding(in: "@Model final class Note { var (x, y) = (1, 2) }")
        #expect(found.message == "@Model cannot persist properties that are declared by a pattern")
        #expect(found.place == "(x, y) = (1, 2) }")
    }

    @Test func `a constant becomes a variable that only the class sets`() throws {
        let source = "@Model final class Note {\n    /// Never changes.\n    public let id: UUID\n    init() {}\n}"
        let found = try finding(in: source)
        #expect(found.message == "@Model cannot persist constant 'id': Swift 6 allows no accessors on a 'let'")
        #expect(found.place == "let id: UUID")
        #expect(found.fixed == ["Replace 'let' with 'private(set) var'": source.replacing("let", with: "private(set) var")])
    }

    @Test func `a constant alone on its line keeps its place`() throws {
        let found = try finding(in: "@Model final class Note {\n    let id: Int\n    init() {}\n}")
        #expect(found.fixed.values.first == "@Model final class Note {\n    private(set) var id: Int\n    init() {}\n}")
    }

    @Test func `constants are left to the compiler before Swift 6`() {
        #expect(Expansion(of: "@Model final class Note { let id: UUID; init() {} }", language: 5).findings.isEmpty)
    }

    @Test func `a condition that the plug-in cannot judge must not hide properties`() throws {
        let source = "@Model final class Note {\n#if DEBUG\n    var log: String = \"\"\n#endif\n    init() {}\n}"
        let findings = Expansion(of: source, knowsConditions: false).findings
        #expect(findings.map(\.message) == [
            "@Model cannot see whether this '#if' is active, so it may not enclose stored properties, '#Index' or '#Unique'"
        ])
        #expect(findings.first?.place == "#if DEBUG")
        #expect(Expansion(of: source).findings.isEmpty)
    }

    @Test func `a condition around what is not stored is nobody's business`() {
        let source = "@Model final class Note {\n#if DEBUG\n    var log: String { \"\" }\n#endif\n    init() {}\n}"
        #expect(Expansion(of: source, knowsConditions: false).findings.isEmpty)
    }
}
