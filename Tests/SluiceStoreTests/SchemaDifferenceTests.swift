import SluiceSchema
import Testing

@testable import SluiceStore

@Suite struct SchemaDifferenceTests {
    private func schema(_ entity: Entity) throws -> Schema { try Schema(name: "s", validating: [entity]) }

    @Test func `a mismatch names entity and property and shows both shapes`() throws {
        let held = try schema(
            Entity(
                "Item", attributes: [Attribute("age", .string, isOptional: true), Attribute("gone", .date)],
                relationships: [Relationship("next", to: "Item")], uniqueness: [["gone"]]))
        let wanted = try schema(
            Entity(
                "Item", attributes: [Attribute("age", .int64, defaultValue: .integer(1)), Attribute("came", .uuid)],
                relationships: [Relationship("next", to: "Item", deleteRule: .cascade)]))
        #expect(
            SchemaDifference(from: held, to: wanted).lines == [
                "it has attribute Item.gone (date)",
                "attribute Item.age is string, optional there and int64, default 1 here",
                "it lacks attribute Item.came (uuid)",
                "relationship Item.next is to-one Item, no inverse, delete rule nullify there and to-one Item, no inverse, delete rule cascade here",
                "Item: unique is gone there and nothing here",
            ])
    }
}
