import Foundation
import SluiceSQLite
import SluiceSchema
import Testing

@testable import SluiceStore

@Suite struct ReleaseTests {
    private func release(
        _ major: Int, _ attributes: [Attribute], _ stage: StageScript? = nil, relationships: [Relationship] = []
    ) throws -> SchemaRelease {
        SchemaRelease(
            try Schema(
                name: "people", version: SchemaVersion(major, 0, 0),
                validating: [Entity("Person", attributes: attributes, relationships: relationships)]), stage: stage)
    }

    private static let name = Attribute("name", .string)
    private static let first = Attribute("first", .string, isOptional: true)

    private func faults(_ releases: SchemaRelease...) throws -> [[ReleaseFault]] { try ReleaseCheck.faults(of: releases) }

    @Test func `a store goes through all stages, each over the rows of its own version`() throws {
        let releases = [
            try release(1, [Self.name]),
            try release(
                2, [Self.name, Self.first, Attribute("last", .string)],
                StageScript(
                    before: [StageEdit("Person", where: "name = ''", .delete)],
                    after: [
                        StageEdit(
                            "Person", where: "instr(name, ',') > 0",
                            .set([
                                .init("first", "trim(substr(name, instr(name, ',') + 1))"),
                                .init("last", "substr(name, 1, instr(name, ',') - 1)"),
                            ])),
                        StageEdit("Person", where: "last IS NULL", .set([.init("last", "name")])),
                    ])),
            try release(
                3, [Attribute("given", .string, isOptional: true, wireName: "first"), Attribute("last", .string)],
                StageScript(discarded: ["Person.name"])),
        ]
        #expect(try ReleaseCheck.faults(of: releases) == [[], [], []])
        let fixture = try MigrationFixture()
        try fixture.open(releases[0].schema.entities) { store in
            try store.write {
                for (name, value) in [("a", "Doe, Jane"), ("b", "Prince"), ("c", "")] {
                    try store.put("Person", name: .text(name), RowEdit(attributes: ["name": .string(value)]))
                }
            }
        }
        let wanted = releases[2].schema
        let upgrade = StoreUpgrade(path: fixture.path, wanted: wanted, options: fixture.options) { _ in UpgradePlan(releases: releases) }
        #expect(try upgrade.run().version == SchemaVersion(3, 0, 0))
        #expect(try fixture.attributes("a") == ["given": .string("Jane"), "last": .string("Doe")])
        #expect(
            try fixture.attributes("b") == ["given": .null, "last": .string("Prince")]
                || fixture.attributes("b") == ["last": .string("Prince")])
        #expect(try fixture.count("SELECT count(*) FROM Person") == 2)
    }

    @Test func `a stage that fails in the middle leaves the first version`() throws {
        let releases = [
            try release(1, [Self.name]),
            try release(2, [Self.name, Self.first], StageScript(after: [StageEdit("Person", .set([.init("first", "'x'")]))])),
            try release(
                3, [Self.name, Self.first, Attribute("age", .int16, isOptional: true)],
                StageScript(after: [StageEdit("Person", .set([.init("age", "99999")]))])),
        ]
        let fixture = try MigrationFixture()
        try fixture.open(releases[0].schema.entities) { store in
            try store.write { _ = try store.put("Person", name: .text("a"), RowEdit(attributes: ["name": .string("n")])) }
        }
        let upgrade = StoreUpgrade(path: fixture.path, wanted: releases[2].schema, options: fixture.options) { _ in
            UpgradePlan(releases: releases)
        }
        let error = #expect(throws: StageFailure.self) { try upgrade.run() }
        #expect(error?.description.contains("version 3.0.0, after, edit 1, Person.age: 1 row would get a value that is no int16") == true)
        #expect(try fixture.held() == releases[0].schema.entities)
        #expect(try fixture.attributes("a") == ["name": .string("n")])
    }

    @Test func `steps that cannot be inferred are faults of the later version`() throws {
        let required = Attribute("age", .int16)
        #expect(
            try faults(release(1, [Self.name]), release(2, [Self.name, required])).last == [
                .step(.requiredWithoutDefault(entity: "Person", property: "age", shape: "int16", rows: nil))
            ])
        let other = StageScript(after: [StageEdit("Person", .set([.init("name", "'x'")]))])
        #expect(try faults(release(1, [Self.name]), release(2, [Self.name, required], other)).last?.count == 1)
        let filling = StageScript(after: [StageEdit("Person", .set([.init("age", "1")]))])
        #expect(try faults(release(1, [Self.name]), release(2, [Self.name, required], filling)).last == [])
    }

    @Test func `a rename has to be said in a stage with edits, too`() throws {
        let edits = [StageEdit("Person", .set([.init("title", "'x'")]))]
        let title = Attribute("title", .string)
        for stage in [nil, StageScript(after: edits)] {
            let found = try faults(release(1, [Self.name]), release(2, [title], stage)).last
            #expect(found == [.step(.ambiguousRename(entity: "Person", gone: "name", came: ["title"], shape: "string"))])
        }
        let discarding = StageScript(discarded: ["Person.name"], after: edits)
        #expect(try faults(release(1, [Self.name]), release(2, [title], discarding)).last == [])
        #expect(try faults(release(1, [Self.name]), release(2, [Attribute("title", .string, wireName: "name")])).last == [])
    }

    @Test func `a rename two versions ago is followed by the name that the store has since`() throws {
        let releases = [
            try release(1, [Self.name]), try release(2, [Attribute("title", .string, wireName: "name")]),
            try release(3, [Attribute("label", .string, wireName: "title")]), try release(4, [Attribute("text", .string, wireName: "name")]),
        ]
        #expect(try ReleaseCheck.faults(of: releases) == [[], [], [], []])
    }

    @Test func `a narrower type needs an edit that is about it`() throws {
        let (wide, narrow) = (Attribute("age", .int64), Attribute("age", .int16))
        let fault = ReleaseFault.step(.narrowed(entity: "Person", property: "age", from: "int64", to: "int16", rows: nil))
        #expect(try faults(release(1, [wide]), release(2, [narrow])).last == [fault])
        let deleting = StageScript(before: [StageEdit("Person", where: "age > 200", .delete)])
        #expect(try faults(release(1, [wide]), release(2, [narrow], deleting)).last == [fault])
        let setting = StageScript(before: [StageEdit("Person", .set([.init("age", "min(age, 200)")]))])
        #expect(try faults(release(1, [wide]), release(2, [narrow], setting)).last == [])
    }

    @Test func `two versions of one shape are found, those between which others lie too`() throws {
        let found = try faults(
            release(1, [Self.name]), release(2, [Self.name, Self.first]), release(3, [Self.name], StageScript(discarded: ["Person.first"])))
        #expect(found == [[], [], [.sameShape(as: 0)]])
    }

    @Test func `what is discarded was there and goes`() throws {
        func found(_ name: String) throws -> StageFault? {
            let stage = StageScript(discarded: [name])
            guard case .stage(let fault)? = try faults(release(1, [Self.name, Self.first]), release(2, [Self.name], stage)).last?.first
            else { return nil }
            return fault
        }
        #expect(try found("Person.first") == nil)
        #expect(try found("Person.frist")?.known.contains("Person.first") == true)
        #expect(try found("Prson")?.known == ["Person"])
        #expect(try found("Person.name")?.found == "`Person.name`, which is still there as `name`")
        #expect(try found("Person")?.found == "entity `Person`, which is still there")
    }

    @Test func `edits before a step know the old names, and those after it the new ones`() throws {
        let renamed = Attribute("title", .string, wireName: "name")
        func count(_ stage: StageScript) throws -> Int {
            try faults(release(1, [Self.name]), release(2, [renamed], stage)).last?.count ?? 0
        }
        let (old, new) = (StageEdit("Person", .set([.init("name", "name")])), StageEdit("Person", .set([.init("title", "title")])))
        #expect(try count(StageScript(before: [old], after: [new])) == 0)
        #expect(try count(StageScript(before: [new])) == 2)
        #expect(try count(StageScript(after: [old])) == 2)
    }

    @Test func `nothing leads to the oldest version`() throws {
        #expect(try faults(release(1, [Self.name], StageScript(discarded: ["X"]))).first?.count == 1)
        #expect(try faults() == [])
    }
}
