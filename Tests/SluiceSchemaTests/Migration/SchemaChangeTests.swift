import Testing

@testable import SluiceSchema

@Suite struct SchemaChangeTests {
    private let name = Attribute("name", .string)

    private func change(_ from: [Entity], _ to: [Entity], _ kind: SchemaChange.Kind = .lightweight()) throws -> SchemaChange {
        try SchemaChange(
            from: Schema(name: "test", validating: from), to: Schema(name: "test", version: SchemaVersion(2, 0, 0), validating: to),
            kind: kind)
    }

    private func faults(_ from: [Entity], _ to: [Entity], _ kind: SchemaChange.Kind = .lightweight()) throws -> [MigrationFault] {
        do {
            _ = try change(from, to, kind)
            return []
        } catch let refusal as MigrationRefusal { return refusal.faults }
    }

    @Test func `a required attribute without a default is refused by name, and left to a custom stage`() throws {
        let (old, new) = ([Entity("Item", attributes: [name])], [Entity("Item", attributes: [name, Attribute("expiry", .date)])])
        #expect(try faults(old, new) == [.requiredWithoutDefault(entity: "Item", property: "expiry", shape: "date", rows: nil)])
        #expect(try change(old, new, .custom).required.map(\.property) == ["expiry"])
        let text = try #require(try faults(old, new).first).description
        #expect(text.contains("Item.expiry") && text.contains("give expiry a default"))
    }

    @Test func `an optional attribute becomes required with a default, and not without`() throws {
        let old = [Entity("Item", attributes: [Attribute("n", .int64, isOptional: true)])]
        #expect(try faults(old, [Entity("Item", attributes: [Attribute("n", .int64, defaultValue: .integer(0))])]).isEmpty)
        #expect(
            try faults(old, [Entity("Item", attributes: [Attribute("n", .int64)])])
                == [.requiredWithoutDefault(entity: "Item", property: "n", shape: "int64", rows: nil)])
    }

    @Test func `a required to-one is refused, a to-many never is`() throws {
        let old = [Entity("Item", attributes: [name]), Entity("Tag")]
        let one = [Entity("Item", attributes: [name], relationships: [Relationship("tag", to: "Tag", isOptional: false)]), Entity("Tag")]
        #expect(
            try faults(old, one) == [.requiredWithoutDefault(entity: "Item", property: "tag", shape: "to-one Tag, required", rows: nil)])
        let many = [
            Entity("Item", attributes: [name], relationships: [Relationship("tags", to: "Tag", isToMany: true, isOptional: false)]),
            Entity("Tag"),
        ]
        #expect(try faults(old, many).isEmpty)
    }

    @Test(arguments: AttributeType.allCases)
    func `a type may widen and nothing else`(from: AttributeType) throws {
        let wider: [AttributeType: Set<AttributeType>] = [
            .int16: [.int32, .int64, .double], .int32: [.int64, .double], .int64: [.double], .boolean: [.int16, .int32, .int64],
            .float: [.double], .url: [.string],
        ]
        for to in AttributeType.allCases where to != from {
            let (old, new) = ([Entity("Item", attributes: [Attribute("v", from)])], [Entity("Item", attributes: [Attribute("v", to)])])
            let isAllowed = wider[from]?.contains(to) ?? false
            let fault = MigrationFault.narrowed(entity: "Item", property: "v", from: from.rawValue, to: to.rawValue, rows: nil)
            #expect(try faults(old, new) == (isAllowed ? [] : [fault]))
            #expect(try faults(old, new, .custom).isEmpty)
        }
    }

    @Test func `what goes while the same comes is no rename unless it is said to be one`() throws {
        let old = [Entity("Item", attributes: [Attribute("title", .string), Attribute("n", .int64)])]
        func new(_ attribute: Attribute) -> [Entity] { [Entity("Item", attributes: [attribute, Attribute("n", .int64)])] }
        let fault = MigrationFault.ambiguousRename(entity: "Item", gone: "title", came: ["name"], shape: "string")
        #expect(try faults(old, new(Attribute("name", .string))) == [fault])
        #expect(fault.description.contains("originalName: \"title\""))
        #expect(try faults(old, new(Attribute("name", .string, wireName: "title"))).isEmpty)
        #expect(try faults(old, new(Attribute("name", .string, isOptional: true)), .lightweight(discarding: ["Item.title"])).isEmpty)
        #expect(try faults(old, new(Attribute("name", .string)), .custom).isEmpty)
        #expect(try faults(old, new(Attribute("name", .int64, isOptional: true))).isEmpty)
    }

    @Test func `a to-many that goes while a to-one to the same comes is no rename either`() throws {
        func schema(_ relationship: Relationship) -> [Entity] { [Entity("Item", relationships: [relationship]), Entity("Tag")] }
        let old = schema(Relationship("tags", to: "Tag", isToMany: true))
        let fault = MigrationFault.ambiguousRename(entity: "Item", gone: "tags", came: ["tag"], shape: "to-many Tag")
        #expect(try faults(old, schema(Relationship("tag", to: "Tag"))) == [fault])
        #expect(try faults(old, schema(Relationship("tag", to: "Tag", wireName: "tags"))).isEmpty)
    }

    @Test func `an entity that goes while one of the same properties comes is no rename either`() throws {
        let (old, new) = ([Entity("Note", attributes: [name])], [Entity("Memo", attributes: [name])])
        #expect(try faults(old, new) == [.ambiguousRename(entity: nil, gone: "Note", came: ["Memo"], shape: "name: string")])
        #expect(try faults(old, [Entity("Memo", wireName: "Note", attributes: [name])]).isEmpty)
        #expect(try faults(old, new, .lightweight(discarding: ["Note"])).isEmpty)
    }

    @Test func `a split and a merge are refused, and left to a custom stage`() throws {
        let person = [Entity("Person", attributes: [name, Attribute("street", .string)])]
        let split = [Entity("Person", attributes: [name]), Entity("Address", attributes: [Attribute("street", .string)])]
        #expect(try faults(person, split) == [.tableSplitOrMerged(gone: ["Person"], came: ["Person", "Address"])])
        #expect(try faults(person, split, .custom).isEmpty)
        let merged = [Entity("Person", attributes: [name, Attribute("street", .string, defaultValue: .string(""))])]
        #expect(try faults(split, merged) == [.tableSplitOrMerged(gone: ["Person", "Address"], came: ["Person"])])
        #expect(try faults(split, merged, .custom).isEmpty)
    }

    @Test func `two tables never become one hierarchy, nor one hierarchy two tables`() throws {
        let flat = [Entity("A", attributes: [name]), Entity("B", attributes: [Attribute("n", .int64)])]
        let joined = [
            Entity("Base"), Entity("A", superentity: "Base", attributes: [name]),
            Entity("B", superentity: "Base", attributes: [Attribute("n", .int64)]),
        ]
        #expect(try faults(flat, joined) == [.tableSplitOrMerged(gone: ["A", "B"], came: ["Base"])])
        #expect(try faults(joined, flat, .custom).contains(.tableSplitOrMerged(gone: ["Base"], came: ["A", "B"])))
    }

    @Test func `an identity is for life`() throws {
        let id = Attribute("id", .uuid)
        let (old, new) = (
            [Entity("Item", attributes: [id, name], identity: ["id"])], [Entity("Item", attributes: [id, name], identity: ["name"])]
        )
        #expect(try faults(old, new) == [.identityChanged(entity: "Item", from: ["id"], to: ["name"])])
        #expect(
            try faults(old, [Entity("Item", attributes: [id, name])], .custom) == [.identityChanged(entity: "Item", from: ["id"], to: [])])
        #expect(try faults(old, [Entity("Item", attributes: [Attribute("key", .uuid, wireName: "id"), name], identity: ["key"])]).isEmpty)
    }

    @Test func `a first-version name is no hint, though another property is called so by now`() throws {
        let held = try Schema(
            name: "test",
            validating: [Entity("Item", attributes: [Attribute("b", .string, wireName: "a"), Attribute("a", .string, wireName: "a_2")])])
        let wanted = try Schema(name: "test", validating: [Entity("Item", attributes: [Attribute("c", .string, wireName: "b")])])
        let change = try SchemaChange(from: held, to: wanted, kind: .lightweight())
        #expect(change.match.source(of: "c", in: "Item")?.name == "b")
        #expect(change.to.entities[0].attributes.map(\.wireName) == ["a"])
        #expect(change.layout.tables[0].columns == [.kept(0)])
    }

    @Test func `every fault is told at once`() throws {
        let old = [Entity("Item", attributes: [name, Attribute("n", .int64)]), Entity("Tag", attributes: [name])]
        let new = [
            Entity("Item", attributes: [name, Attribute("n", .string), Attribute("d", .date)]),
            Entity("Tag", attributes: [name, Attribute("u", .uuid)]),
        ]
        #expect(try faults(old, new).count == 3)
    }

    @Test func `an attribute that is added leaves the rows alone, one that goes does not`() throws {
        let old = [Entity("Item", attributes: [name])]
        let more = [Entity("Item", attributes: [name, Attribute("n", .int64, defaultValue: .integer(1))])]
        let added = try change(old, more)
        #expect(added.isConstantTime && !added.isDestructive && !added.isEmpty)
        #expect(added.lines == ["Item: adds attribute n (int64, default 1)"])
        let dropped = try change(more, old)
        #expect(!dropped.isConstantTime && dropped.isDestructive)
        #expect(dropped.lines == ["Item: drops attribute n and its values"])
        let indexed = try change(old, [Entity("Item", attributes: [name], indices: [["name"]])])
        #expect(!indexed.isConstantTime && !indexed.isDestructive)
        #expect(indexed.lines == ["Item: adds an index on name"])
        #expect(try change(old, old).isEmpty)
    }
}
