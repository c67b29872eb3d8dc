import SluiceSchema
import Testing

@testable import SluiceGroup

@Suite struct ProjectedSchemaTests {
    @Test func `fields, entities and relationships that are not projected are not in the schema`() throws {
        let schema = try ProjectedSchema(
            of: Fixed.schema(.shop), by: [Projection("Item", fields: ["sku", "tags"]), Projection("Tag")]).schema
        #expect(schema.entities.map(\.name) == ["Item", "Tag"])
        let item = try #require(schema.entity(named: "Item"))
        #expect(item.attributes.map(\.name) == ["sku"])
        #expect(item.relationships.map(\.name) == ["tags"])
        // Unique in the synced store; here only an index.
        #expect(item.uniqueness.isEmpty)
        #expect(item.indices == [["sku"]])
    }

    @Test func `a relationship is named at one end and declared at both`() throws {
        let schema = try ProjectedSchema(
            of: Fixed.schema(.shop), by: [Projection("Item", fields: ["sku"]), Projection("List", fields: ["items"])]).schema
        #expect(schema.entity(named: "Item")?.relationships.map(\.name) == ["list"])
        #expect(schema.entity(named: "List")?.relationships.map(\.name) == ["items"])
        let neither = try ProjectedSchema(
            of: Fixed.schema(.shop), by: [Projection("Item", fields: ["sku"]), Projection("List", fields: ["title"])]).schema
        #expect(neither.entities.flatMap { $0.relationships }.isEmpty)
    }

    @Test func `what a subentity inherits from is there without rows of its own`() throws {
        let projected = try ProjectedSchema(
            of: Fixed.garage, by: [Projection("Car", fields: ["size"]), Projection("Boat"), Projection("Owner")])
        let vehicle = try #require(projected.schema.entity(named: "Vehicle"))
        #expect(vehicle.isAbstract)
        #expect(vehicle.attributes.map(\.name) == ["wheels", "label"])
        // Cars leave it out.
        #expect(vehicle.attributes.map { $0.isOptional } == [true, true])
        #expect(projected.schema.entity(named: "Owner")?.relationships.map(\.name) == ["vehicles", "best", "mentor"])
        #expect(projected.entities(governedBy: Projection("Boat")) == ["Boat"])
    }

    @Test(arguments: [
        [Projection("Nobody")], [Projection("Item", fields: ["nothing"])], [Projection("Item"), Projection("Item")],
        [Projection("Item", limit: 0)], [Projection("Item", where: Fixed.filter("nothing == 1"))],
        [Projection("Item", order: Fixed.order("nothing"))], [Projection("Item", where: Fixed.filter("price == 'x'"))],
    ])
    func `a projection that does not fit the schema is refused before anything is made`(projections: [Projection]) throws {
        #expect(throws: GroupError.self) {
            let projected = try ProjectedSchema(of: Fixed.schema(.shop), by: projections)
            _ = try Projector(projections, projected: projected, from: StoredSchema(Fixed.schema(.shop)))
        }
    }
}
