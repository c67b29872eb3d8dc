import Testing

/// Which initialisers a class gets.
@Suite struct InitializerTests {
    /// The heads of the initialisers that an expansion adds to the class, besides the two that the runtime calls.
    private func heads(_ source: String) -> [String] {
        unindented(Expansion(of: source, conformances: ["PersistentModel"]).text)
            .drop { !$0.hasPrefix("private var _$backingData") }
            .filter { $0.contains("init(") && $0.hasSuffix("{") && !$0.contains("_$state state:") && !$0.contains("backingData: any") }
    }

    private func runtimeInitializers(_ source: String, _ conformances: [String] = []) -> Int {
        unindented(Expansion(of: source, conformances: conformances).text)
            .filter { $0.contains("_$state state:") || $0.contains("backingData: any") }.count
    }

    @Test func `a class without an initialiser gets a memberwise one`() {
        let source = """
            @Model final class Note {
                var title: String
                var count: Int = 3
                var owner: Owner?
                var open = true
                var ratio = -1.5
                @Transient var scratch = 1
            }
            """
        #expect(heads(source) == ["init(title: String, count: Int = 3, owner: Owner? = nil, open: Bool = true, ratio: Double = -1.5) {"])
    }

    @Test func `a default of a type that is not written stays a default`() {
        let source = "@Model final class Note { var made = Date.now\nvar tags = [String]()\nvar text: String }"
        #expect(heads(source) == ["init(text: String) {"])
    }

    @Test func `a private property with a default is left alone`() {
        #expect(heads("@Model final class Note { private var a: Int = 1\nprivate var b: Int?\nvar c: Int }") == ["init(c: Int) {"])
    }

    @Test func `an initialiser that sets a private property is private`() {
        #expect(heads("@Model final class Note { private var a: Int\nfileprivate var b: Int }") == ["private init(a: Int, b: Int) {"])
        #expect(heads("@Model final class Note { fileprivate var a: Int }") == ["fileprivate init(a: Int) {"])
    }

    @Test func `a class of defaults can be made from nothing`() {
        #expect(heads("@Model final class Note {}") == ["init() {"])
    }

    @Test func `a keyword is a label, and another name inside`() {
        let text = Expansion(of: "@Model final class Note { var `self`: Int }").text
        #expect(text.contains("init(`self` _$self: Int) {"))
        #expect(text.contains("self.`self` = _$self"))
    }

    @Test func `a class with an initialiser of its own gets none`() {
        #expect(heads("@Model final class Note { var a: Int\ninit(b: Int) { a = b } }") .isEmpty)
    }

    @Test func `a convenience initialiser needs one to call`() {
        let source = "@Model final class Note { var a: Int\nconvenience init() { self.init(a: 1) } }"
        #expect(heads(source) == ["init(a: Int) {"])
    }

    @Test func `a subclass whose properties all have defaults inherits every initialiser`() {
        #expect(runtimeInitializers("@Model final class Car: Vehicle { var doors = 4\nvar owner: Owner? }") == 0)
        #expect(Expansion(of: "@Model final class Car: Vehicle { var doors = 4 }", conformances: []).findings.isEmpty)
    }

    @Test func `a row is read into empty slots, whatever the defaults and whoever initialises`() {
        func lines(_ source: String, _ conformances: [String]) -> [String] {
            unindented(Expansion(of: source, conformances: conformances).text)
        }
        let root = lines("@Model class Vehicle { var wheels = 4 }", ["PersistentModel"])
        #expect(root.contains("func _$forgetDefaults() {") && root.contains("_$forgetDefaults()"))
        #expect(root.contains("_$backingData = _$Storage()"))
        #expect(!lines("@Model final class Vehicle {}", ["PersistentModel"]).contains { $0.contains("_$forgetDefaults") })
        #expect(lines("@Model class Car: Vehicle { var doors = 4 }", []).contains("override func _$forgetDefaults() {"))
        let initialised = lines("@Model class Car: Vehicle {\nvar doors = 4\ninit(a: Int) { super.init() }\n}", [])
        #expect(initialised.contains("_$backingData = _$Storage()"))
        #expect(!initialised.contains { $0.contains("_$forgetDefaults") })
    }

    @Test func `a subclass with an initialiser repeats the required ones`() {
        let source = "@Model class Car: Vehicle { var doors: Int\ninit(doors: Int) { self.doors = doors; super.init() } }"
        #expect(runtimeInitializers(source) == 2)
        let text = Expansion(of: source, conformances: []).text
        #expect(text.contains("required init(backingData: any SluiceData.BackingData<Vehicle.Root>)"))
    }

    @Test func `a model actor makes its context from a container`() {
        let text = Expansion(of: "@ModelActor public actor Worker {}").text
        #expect(text.contains("public init(modelContainer: SluiceData.ModelContainer) {"))
    }

    @Test func `a model actor that initialises itself is left to it`() {
        let source = """
            @ModelActor actor Worker {
                let name: String
                init(container: ModelContainer, name: String) {
                    modelContainer = container
                    modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(container))
                    self.name = name
                }
            }
            """
        #expect(!Expansion(of: source).text.contains("init(modelContainer:"))
        #expect(Expansion(of: source.replacing("let name: String\n", with: "let name = \"\"\n")).text.contains("init(modelContainer:"))
    }
}
