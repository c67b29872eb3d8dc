import Testing

@testable import SluiceSchema

@Suite struct SchemaMatchTests {
    private func schema(_ entities: Entity...) throws -> Schema { try Schema(name: "test", validating: entities) }
    private func match(_ from: [Entity], _ to: [Entity]) throws -> SchemaMatch {
        SchemaMatch(from: try Schema(name: "test", validating: from), to: try Schema(name: "test", validating: to))
    }

    private let name = Attribute("name", .string)

    @Test func `an entity is found by its name before any hint`() throws {
        let match = try match(
            [Entity("A", attributes: [name]), Entity("B", attributes: [name])], [Entity("A"), Entity("C", wireName: "A")])
        #expect(match.source(of: "A")?.name == "A")
        #expect(match.source(of: "C") == nil)
        #expect(match.gone.map(\.name) == ["B"])
    }

    @Test func `an entity is found by the hint of its former name, and by its first`() throws {
        #expect(try match([Entity("B", wireName: "A")], [Entity("C", wireName: "B")]).source(of: "C")?.name == "B")
        #expect(try match([Entity("B", wireName: "A")], [Entity("C", wireName: "A")]).source(of: "C")?.name == "B")
    }

    @Test(arguments: [("ShoppingItemV1", "ShoppingItemV2"), ("Item", "ItemV2"), ("ItemV2", "Item"), ("ItemV9", "ItemV10")])
    func `classes whose names differ in their version alone are one entity`(from: String, to: String) throws {
        #expect(try match([Entity(from)], [Entity(to)]).source(of: to)?.name == from)
    }

    @Test(arguments: [["ItemV2", "ItemV3"], ["Items"], ["V2"], ["ItemV"], ["Item2"]])
    func `where several come, or names differ otherwise, nothing is guessed`(names: [String]) throws {
        let match = try match([Entity("ItemV1")], names.map { Entity($0) })
        #expect(names.allSatisfy { match.source(of: $0) == nil })
    }

    @Test func `a property is found by its name, by the hint of its former name, and by its first`() throws {
        let old = [Entity("A", attributes: [Attribute("a", .string), Attribute("b", .string, wireName: "first"), Attribute("c", .string)])]
        let new = [
            Entity(
                "A",
                attributes: [Attribute("a", .string), Attribute("x", .string, wireName: "first"), Attribute("y", .string, wireName: "c")])
        ]
        let match = try match(old, new)
        #expect(["a", "x", "y"].map { match.source(of: $0, in: "A")?.name } == ["a", "b", "c"])
        #expect(match.destination(of: "c", in: "A")?.name == "y")
    }

    @Test func `a property that moves up its hierarchy is the same`() throws {
        let old = [Entity("Sub", attributes: [name])]
        let new = [Entity("Base", attributes: [name]), Entity("Sub", superentity: "Base")]
        #expect(try match(old, new).source(of: "name", in: "Sub")?.name == "name")
    }

    @Test func `a renamed property keeps its first name on the wire for ever`() throws {
        var held = try schema(Entity("A", attributes: [Attribute("a", .string)]))
        for (old, new) in [("a", "b"), ("b", "c"), ("c", "d")] {
            held = try schema(Entity("A", attributes: [Attribute(new, .string, wireName: old)])).adopting(wireNamesOf: held)
            #expect(held.entities[0].attributes.map(\.wireName) == ["a"])
        }
        let plain = try schema(Entity("A", attributes: [Attribute("d", .string)]))
        #expect(plain.isSameShape(as: held))
        #expect(plain.entities != held.entities)
    }

    @Test func `a renamed entity keeps its first name on the wire`() throws {
        let held = try schema(Entity("A", attributes: [name]))
        let next = try schema(Entity("B", wireName: "A", attributes: [name])).adopting(wireNamesOf: held)
        let last = try schema(Entity("C", wireName: "B", attributes: [name])).adopting(wireNamesOf: next)
        #expect(last.entities[0].wireName == "A")
        #expect(try schema(Entity("CV2", attributes: [name])).adopting(wireNamesOf: last).entities[0].wireName == "A")
    }

    @Test func `a new property does not take the name that a renamed one has on the wire`() throws {
        let held = try schema(Entity("A", attributes: [Attribute("a", .string)]))
        let next = try schema(Entity("A", attributes: [Attribute("b", .string, wireName: "a")])).adopting(wireNamesOf: held)
        let last = try schema(Entity("A", attributes: [Attribute("b", .string), Attribute("a", .string)])).adopting(wireNamesOf: next)
        #expect(last.entities[0].attributes.map(\.wireName) == ["a", "a_2"])
        #expect(try schema(Entity("A", attributes: [Attribute("b", .string), Attribute("a", .string)])).isSameShape(as: last))
    }
}
