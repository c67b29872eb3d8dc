import Foundation
import SluiceSQLite
import SluiceStore
import Testing

@testable import SluiceData

/// Values for properties that nothing is known of: none of them may end the program.
struct FallbackTests {
    enum Plain: String, Codable { case red = "r", green = "g" }
    enum Single { case only }
    enum Mixed: Codable, Equatable { case text(String), numbers([Int]), none, other }
    enum Loaded: Codable, Equatable { case pair(left: Int, right: Plain), word(String) }
    indirect enum Tree: Codable, Equatable { case node(Tree, Tree), leaf }
    indirect enum Heavy: Codable { case node(Heavy, Heavy), leaf(Int) }

    struct Nested: Codable, Equatable {
        var name: String
        var color: Plain
        var loaded: Loaded
        var more: [Nested]
        var table: [String: Int]
    }

    /// Refuses everything that is empty.
    struct Address: Codable, Equatable {
        let text: String
        let kind: Plain
        let date: Date?

        init(from decoder: any Decoder) throws {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no address"))
        }
    }

    struct Bare: Equatable {
        var text: String
        var flags: [Bool]
        var color: Plain
    }

    final class Box {}

    struct Holder {
        var texts: [String]
        var box: Box
    }

    @Test func `an enum without a list of its cases has its first one`() {
        #expect(Fallback.emptiest(of: Plain.self) == .red)
        #expect(Fallback.emptiest(of: Single.self) != nil)
        #expect(Fallback.emptiest(of: FloatingPointSign.self) == .plus)
    }

    @Test func `of an enum with payloads it is the first case without one`() {
        #expect(Fallback.emptiest(of: Mixed.self) == Mixed.none)
        #expect(Fallback.emptiest(of: Tree.self) == .leaf)
        #expect(EnumCases.value(of: Mixed.self, number: 1) == .other && EnumCases.value(of: Mixed.self, number: 2) == nil)
    }

    @Test func `where every case has a payload it is the first that can be made`() {
        #expect(Fallback.emptiest(of: Loaded.self) == .pair(left: 0, right: .red))
        guard case .node? = Fallback.emptiest(of: Heavy.self) else {
            Issue.record("no tree")
            return
        }
    }

    @Test func `what is no enum has no cases`() {
        #expect(EnumCases.value(of: Int.self) == nil && EnumCases.value(of: Box.self) == nil && EnumCases.value(of: Loaded.self) == nil)
        #expect(EnumCases.counts(of: Mixed.self)! == (2, 2) && EnumCases.counts(of: String.self) == nil)
    }

    @Test func `a struct is empty in every field`() {
        let empty = Nested(name: "", color: .red, loaded: .pair(left: 0, right: .red), more: [], table: [:])
        #expect(Fallback.emptiest(of: Nested.self) == empty)
    }

    @Test func `a struct that refuses to be decoded, or cannot be, is made of empty fields`() throws {
        let address = try #require(Fallback.emptiest(of: Address.self))
        #expect(address.text == "" && address.kind == .red && address.date == nil)
        #expect(Fallback.emptiest(of: Bare.self) == Bare(text: "", flags: [], color: .red))
    }

    @Test func `a class that nobody can decode has no empty value, nor has a struct with one`() {
        #expect(Fallback.emptiest(of: Box.self) == nil)
        #expect(Fallback.emptiest(of: Holder.self) == nil)
    }

    private static func hasEmptyValue<Value>(_ type: Value.Type) -> Bool { Fallback.emptiest(of: type) != nil }

    @Test func `every attribute of every model file has an empty value`() {
        for model in ModelFiles.all {
            for property in ModelShape.of(model).properties where property.attributeKind != nil {
                let isThere = Self.hasEmptyValue(property.valueType)
                #expect(isThere, "\(model).\(property.name)")
            }
        }
    }

    @Test func `only such a class ends the program, unless its transformer makes one of no bytes`() async {
        await #expect(processExitsWith: .failure) {
            let _: Box = Fallback.value(of: Box.self, property: 0, of: Boxes.self)
        }
        await #expect(processExitsWith: .success) {
            BoxTransformer.setValueTransformer(BoxTransformer(), forName: NSValueTransformerName("BoxTransformer"))
            let _: Box = Fallback.value(of: Box.self, property: 1, of: Boxes.self)
        }
    }

    @Test func `a model of a row that nobody has reads as empty, whatever its properties`() throws {
        let container = try ModelContainer(for: Unknown.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        let saved = Unknown()
        context.insert(saved)
        try context.save()
        let identifier = saved.persistentModelID
        context.delete(saved)
        try context.save()
        let model = try #require(ModelContext(container).model(for: identifier) as? Unknown)
        #expect(model.color == .red && model.loaded == .pair(left: 0, right: .red) && model.address.text == "")
    }

    @Test func `a raw value that no case has reads as the first case`() throws {
        let container = try ModelContainer(for: Unknown.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        context.insert(Unknown())
        try context.save()
        try container.bindings.stores[0].write {
            try $0.connection.execute("UPDATE Unknown SET color = 'violet', loaded = x'00', address = '{}'")
        }
        let model = try #require(try ModelContext(container).fetch(FetchDescriptor<Unknown>()).first)
        #expect(model.color == .red && model.loaded == .pair(left: 0, right: .red) && model.address.text == "")
    }
}

@Model
final class Unknown {
    var color: FallbackTests.Plain
    var loaded: FallbackTests.Loaded
    var address: FallbackTests.Address

    init() {
        color = .green
        loaded = .word("x")
        // Whatever is there: it cannot be made by its own initialiser.
        address = Fallback.value(of: FallbackTests.Address.self, property: -1, of: Unknown.self)
    }
}

/// Properties of a type that nobody can make up.
@Model
final class Boxes {
    @Attribute(.transformable(by: "NoSuchTransformer")) var lost: FallbackTests.Box
    @Attribute(.transformable(by: "BoxTransformer")) var made: FallbackTests.Box

    init(_ box: FallbackTests.Box) {
        lost = box
        made = box
    }
}

final class BoxTransformer: ValueTransformer, @unchecked Sendable {
    override func transformedValue(_ value: Any?) -> Any? { value is FallbackTests.Box ? Data() : nil }
    override func reverseTransformedValue(_ value: Any?) -> Any? { (value as? Data).map { _ in FallbackTests.Box() } }
}
