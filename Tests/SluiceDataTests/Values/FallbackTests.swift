import Foundation
import SluiceSQLite
import SluiceStore
import Testing

@testable import SluiceData

/// Values for properties that nothing is known of: none of them may end the program.
struct FallbackTests {
    enum Plain: String, Codable { case red = "r", green = "g" }
    enum Single { case only }
    enum Mixed: Codable { case text(String), numbers([Int]), none, other }
    enum Loaded: Codable, Equatable { case pair(left: Int, right: Plain), word(String) }
    indirect enum Tree: Codable { case node(Tree, Tree), leaf }

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

    @Test func `of an enum with payloads it is the first case that can be made`() {
        #expect(Fallback.emptiest(of: Loaded.self) == .pair(left: 0, right: .red))
        guard case .text("")? = Fallback.emptiest(of: Mixed.self) else {
            Issue.record("not the first case")
            return
        }
        guard case .node(.leaf, .leaf)? = FirstCase.value(of: Tree.self).map({ Tree.node($0, $0) }) else {
            Issue.record("no tree")
            return
        }
        #expect(Fallback.emptiest(of: Tree.self) != nil)
    }

    @Test func `the first case without a payload is the one that the compiler means`() {
        guard case .none? = FirstCase.value(of: Mixed.self) else {
            Issue.record("another case")
            return
        }
        #expect(FirstCase.value(of: Loaded.self) == nil)
        #expect(FirstCase.value(of: Int.self) == nil && FirstCase.value(of: Box.self) == nil)
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

    @Test func `a class that nobody can decode has no empty value, and nothing leaks for it`() {
        #expect(Fallback.emptiest(of: Box.self) == nil)
        #expect(Fallback.emptiest(of: Holder.self) == nil)
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
