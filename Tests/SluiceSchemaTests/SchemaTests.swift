import Foundation
import Testing

@testable import SluiceSchema

@Suite struct SchemaTests {
    private func shop() throws -> Schema {
        try Schema(
            name: "shop",
            validating: [
                Entity(
                    "List", attributes: [Attribute("title", .string)],
                    relationships: [
                        Relationship("items", to: "Item", isToMany: true, inverse: "list", deleteRule: .cascade)
                    ]),
                Entity(
                    "Item", attributes: [Attribute("id", .uuid), Attribute("price", .double, defaultValue: .double(.nan))],
                    relationships: [Relationship("list", to: "List", inverse: "items")], uniqueness: [["id"]], identity: ["id"]),
            ])
    }

    @Test func `the canonical encoding does not depend on the order of entities and survives a round trip`() throws {
        let schema = try shop()
        let reversed = try Schema(name: "shop", validating: schema.entities.reversed())
        #expect(try schema.canonicalEncoding() == reversed.canonicalEncoding())
        #expect(try Schema(canonicalEncoding: schema.canonicalEncoding()) == schema)
    }

    @Test func `two versions of one shape have the same shape encoding`() throws {
        let schema = try shop()
        let next = try Schema(name: "shop", version: SchemaVersion(2, 0, 0), validating: schema.entities)
        #expect(try schema.shapeEncoding() == next.shapeEncoding())
        #expect(try schema.canonicalEncoding() != next.canonicalEncoding())
    }

    @Test func `every fault of a schema is reported at once`() throws {
        let error = try #require(throws: SchemaError.self) {
            try Schema(
                name: "bad",
                validating: [
                    Entity("A", superentity: "Nowhere", attributes: [Attribute("x", .string, defaultValue: .integer(1))]),
                    Entity("B", superentity: "B"),
                    Entity("C", relationships: [Relationship("d", to: "D")], uniqueness: [["y"]]),
                ])
        }
        #expect(
            Set(error.faults) == [
                .unknownSuperentity("Nowhere", entity: "A"), .defaultDoesNotFit(attribute: "x", entity: "A"),
                .inheritanceCycle(entity: "B"), .unknownDestination("D", relationship: "d", entity: "C"),
                .unknownProperty("y", usedIn: "unique", entity: "C"),
            ])
    }

    @Test func `a UUID names one record in either case and any other name is kept verbatim`() {
        let upper = RecordName("3F2504E0-4F89-11D3-9A0C-0305E82C3301")
        #expect(upper == RecordName("3f2504e0-4f89-11d3-9a0c-0305e82c3301"))
        #expect(upper.text == "3F2504E0-4F89-11D3-9A0C-0305E82C3301")
        #expect(RecordName("note-1").text == "note-1")
    }
}
