import Foundation
import SluiceSQLite
import SluiceSchema
import Testing

@testable import SluiceStore

@Suite struct RelationshipMigrationTests {
    private func schema(_ items: [Relationship], _ tags: [Relationship] = []) -> [Entity] {
        [Entity("Item", relationships: items), Entity("Tag", relationships: tags)]
    }

    private static let toOne = Relationship("tag", to: "Tag")
    private static let toMany = Relationship("tags", to: "Tag", isToMany: true)

    /// Fills two items and three tags, and relates each item to some tags in that order.
    private func fill(_ fixture: MigrationFixture, _ entities: [Entity], _ name: String, _ members: [[Int]], of entity: String = "Item")
        throws
    {
        let other = entity == "Item" ? "Tag" : "Item"
        try fixture.open(entities) { store in
            try store.write {
                for index in 0..<3 { try store.put(other, name: RecordName("\(other)\(index)"), RowEdit()) }
                for (index, members) in members.enumerated() {
                    let names = members.map { RecordName("\(other)\($0)") }
                    let isToMany = entities.first { $0.name == entity }?.relationships.first { $0.name == name }?.isToMany ?? false
                    try store.put(
                        entity, name: RecordName("\(entity)\(index)"),
                        isToMany ? RowEdit(collections: [name: names]) : RowEdit(references: names.first.map { [name: $0] } ?? [:]))
                }
            }
            try store.drainChanges()
        }
    }

    private func members(_ fixture: MigrationFixture, _ entity: String, _ name: String) throws -> [[String]] {
        try fixture.open { store in
            let stored = try #require(store.layout.entities[entity])
            let link = try #require(stored.link(named: name))
            var found: [[String]] = []
            try store.forEachRow(of: stored) { row in
                let key = try #require(try store.row(named: row.name))
                let names = try store.related(to: key, over: link).map { try #require(try store.name(of: $0)).text }
                found.append(link.relationship.isOrdered ? names : names.sorted())
            }
            return found
        }
    }

    /// Migrates and sees that the log and the outbox got nothing.
    private func migrate(_ fixture: MigrationFixture, to entities: [Entity], _ kind: SchemaChange.Kind = .lightweight()) throws {
        let log = try fixture.rows("SELECT * FROM _sluice_change")
        try fixture.migrate(to: entities, kind)
        #expect(try fixture.rows("SELECT * FROM _sluice_change").filter { $0[2] != 0 }.allSatisfy(log.contains))
    }

    @Test func `a to-one gets an inverse, and loses it again`() throws {
        let fixture = try MigrationFixture()
        try fill(fixture, schema([Self.toOne]), "tag", [[1], [1], []])
        try migrate(
            fixture,
            to: schema(
                [Relationship("tag", to: "Tag", inverse: "items")], [Relationship("items", to: "Item", isToMany: true, inverse: "tag")]))
        #expect(try members(fixture, "Tag", "items") == [[], ["Item0", "Item1"], []])
        try migrate(fixture, to: schema([Self.toOne]))
        #expect(try members(fixture, "Item", "tag") == [["Tag1"], ["Tag1"], []])
    }

    @Test func `a one-way to-many gets an inverse`() throws {
        let fixture = try MigrationFixture()
        try fill(fixture, schema([Self.toMany]), "tags", [[0, 2], [1], []])
        try migrate(
            fixture,
            to: schema(
                [Relationship("tags", to: "Tag", isToMany: true, inverse: "item")], [Relationship("item", to: "Item", inverse: "tags")]))
        #expect(try members(fixture, "Item", "tags") == [["Tag0", "Tag2"], ["Tag1"], []])
        #expect(try members(fixture, "Tag", "item") == [["Item0"], ["Item1"], ["Item0"]])
    }

    @Test func `a to-one becomes a to-many under a hint, and a to-one again`() throws {
        let fixture = try MigrationFixture()
        try fill(fixture, schema([Self.toOne]), "tag", [[2], [], [0]])
        try migrate(fixture, to: schema([Relationship("tags", to: "Tag", isToMany: true, wireName: "tag")]))
        #expect(try members(fixture, "Item", "tags") == [["Tag2"], [], ["Tag0"]])
        try migrate(fixture, to: schema([Relationship("tag", to: "Tag", wireName: "tags")]))
        #expect(try members(fixture, "Item", "tag") == [["Tag2"], [], ["Tag0"]])
    }

    @Test func `a to-many with several members does not become a to-one`() throws {
        let fixture = try MigrationFixture()
        try fill(fixture, schema([Self.toMany]), "tags", [[0, 1], [2], []])
        let refusal = #expect(throws: MigrationRefusal.self) {
            try fixture.migrate(to: schema([Relationship("tag", to: "Tag", wireName: "tags")]))
        }
        #expect(refusal?.faults == [.tooManyMembers(entity: "Item", relationship: "tag", owners: 1)])
        #expect(try members(fixture, "Item", "tags") == [["Tag0", "Tag1"], ["Tag2"], []])
    }

    @Test func `a tag of several items does not become one of a single item`() throws {
        let fixture = try MigrationFixture()
        try fill(fixture, schema([Self.toOne]), "tag", [[0], [0], []])
        let refusal = #expect(throws: MigrationRefusal.self) {
            try fixture.migrate(to: schema([Relationship("tag", to: "Tag", isToMany: true)]))
        }
        #expect(refusal?.faults.count == 1)
    }

    private func pair(_ isOrdered: Bool = false, tagSide: Bool) -> [Entity] {
        schema(
            [Relationship("tags", to: "Tag", isToMany: true, isOrdered: isOrdered, inverse: "items")],
            [Relationship("items", to: "Item", isToMany: tagSide, inverse: "tags")])
    }

    @Test(arguments: [false, true])
    func `one-to-many becomes many-to-many and back, in order where there is one`(isOrdered: Bool) throws {
        let fixture = try MigrationFixture()
        try fill(fixture, pair(isOrdered, tagSide: false), "tags", [[2, 0], [1], []])
        let expected = isOrdered ? [["Tag2", "Tag0"], ["Tag1"], []] : [["Tag0", "Tag2"], ["Tag1"], []]
        try migrate(fixture, to: pair(isOrdered, tagSide: true))
        #expect(try members(fixture, "Item", "tags") == expected)
        #expect(try members(fixture, "Tag", "items") == [["Item0"], ["Item1"], ["Item0"]])
        let ids = try fixture.rows("SELECT _id FROM Item_tags ORDER BY _pk")
        #expect(
            try ids
                == (fixture.open { store in
                    let naming = store.naming
                    return [("Item0", "Tag0"), ("Item0", "Tag2"), ("Item1", "Tag1")].map { source, target in
                        [naming.pairName(type: "Item_tags", source: RecordName(source), target: RecordName(target)).stored]
                    }
                }))
        try migrate(fixture, to: pair(isOrdered, tagSide: false))
        #expect(try members(fixture, "Item", "tags") == expected)
    }

    @Test func `an order that begins keeps the members, and one that ends too`() throws {
        for tagSide in [false, true] {
            let fixture = try MigrationFixture()
            try fill(fixture, pair(tagSide: tagSide), "tags", [[2, 0], [1], []])
            try migrate(fixture, to: pair(true, tagSide: tagSide))
            #expect(try members(fixture, "Item", "tags") == [["Tag0", "Tag2"], ["Tag1"], []])
            try fixture.open { store in
                try store.write {
                    try store.put(
                        "Item", name: RecordName("Item0"), RowEdit(collections: ["tags": [RecordName("Tag2"), RecordName("Tag0")]]))
                }
            }
            #expect(try members(fixture, "Item", "tags").first == ["Tag2", "Tag0"])
            try migrate(fixture, to: pair(tagSide: tagSide))
            #expect(try members(fixture, "Item", "tags") == [["Tag0", "Tag2"], ["Tag1"], []])
        }
    }

    @Test func `pairs keep keys and names when entity, relationship and inverse are renamed`() throws {
        let fixture = try MigrationFixture()
        try fill(fixture, pair(true, tagSide: true), "tags", [[2, 0], [0], []])
        let before = try fixture.rows("SELECT _pk, _id, source, target, position FROM Item_tags")
        // The new names sort the other way round.
        try migrate(
            fixture,
            to: [
                Entity(
                    "Zeal", wireName: "Item",
                    relationships: [Relationship("marks", to: "Aim", isToMany: true, isOrdered: true, inverse: "all", wireName: "tags")]),
                Entity(
                    "Aim", wireName: "Tag",
                    relationships: [Relationship("all", to: "Zeal", isToMany: true, inverse: "marks", wireName: "items")]),
            ])
        #expect(try members(fixture, "Zeal", "marks") == [["Tag2", "Tag0"], ["Tag0"], []])
        #expect(try fixture.rows("SELECT _pk, _id, source, target, position FROM Zeal_marks") == before)
    }

    @Test func `a delete rule changes without a row being written`() throws {
        let fixture = try MigrationFixture()
        let rule = { (rule: DeleteRule) in
            self.schema(
                [Relationship("tags", to: "Tag", isToMany: true, inverse: "item", deleteRule: rule)],
                [Relationship("item", to: "Item", inverse: "tags")])
        }
        try fill(fixture, rule(.nullify), "tags", [[0, 1], [2], []])
        try migrate(fixture, to: rule(.cascade))
        try fixture.open { store in try store.write { try store.delete(RecordName("Item0")) } }
        #expect(try fixture.rows("SELECT _id FROM Tag") == [[.text("Tag2")]])
    }

    @Test func `an entity that goes takes its pairs along and leaves nothing that refers to it`() throws {
        let fixture = try MigrationFixture()
        try fill(fixture, pair(tagSide: true), "tags", [[2, 0], [1], []])
        try migrate(fixture, to: [Entity("Item")])
        #expect(try fixture.count("SELECT count(*) FROM Item") == 3)
        #expect(try fixture.count("SELECT count(*) FROM _sluice_pending") == 3)
    }
}
