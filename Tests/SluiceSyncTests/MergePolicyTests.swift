import SluiceRecords
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceSync

/// Policies of entities and of single fields.
@Suite struct MergePolicyTests {
    private static let entities: [Entity] = [
        Entity(
            "Thing", attributes: [Attribute("title", .string, isOptional: true), Attribute("colour", .string, isOptional: true, wireName: "color")]),
        Entity("Tool", superentity: "Thing", attributes: [Attribute("weight", .double, isOptional: true)]),
    ]

    /// Both devices edit all fields of one record without seeing each other; `b` edits later, `a` sends first.
    private func contend(_ policies: MergePolicies, _ entity: String, fields: [String]) throws -> [String: PropertyValue] {
        let pair = try DevicePair(Self.entities, policies: policies)
        func values(_ text: String) -> [String: PropertyValue] {
            Dictionary(uniqueKeysWithValues: fields.map { ($0, $0 == "weight" ? .double(text == "a" ? 1 : 2) : .string(text)) })
        }
        try pair.put(pair.a, entity, "1", [:])
        try pair.settle()
        try pair.put(pair.a, entity, "1", values("a"))
        pair.pass(1_000)
        try pair.put(pair.b, entity, "1", values("b"))
        try pair.a.sync()
        try pair.settle()
        return try #require(try pair.row(pair.a, "1")).attributes
    }

    @Test func `what is said of a field goes before what is said of its entity`() throws {
        let policies = MergePolicies(["Thing": EntityMergePolicy(conflicts: .clientWins, fields: ["title": .serverWins])])
        let values = try contend(policies, "Thing", fields: ["title", "colour"])
        #expect(values["title"] == .string("a"))
        #expect(values["colour"] == .string("b"))
    }

    @Test func `what is said of an entity holds for those that inherit from it, unless they say otherwise`() throws {
        let inherited = try contend(MergePolicies(["Thing": EntityMergePolicy(conflicts: .serverWins)]), "Tool", fields: ["title", "weight"])
        #expect(inherited["title"] == .string("a") && inherited["weight"] == .double(1))
        let policies = MergePolicies([
            "Thing": EntityMergePolicy(conflicts: .serverWins, fields: ["colour": .serverWins]), "Tool": EntityMergePolicy(conflicts: .latestEdit),
        ])
        let own = try contend(policies, "Tool", fields: ["title", "colour"])
        #expect(own["title"] == .string("b"))
        #expect(own["colour"] == .string("a"))
    }

    @Test func `a renamed field is named as the schema names it now, whatever it is called on the wire`() throws {
        let values = try contend(MergePolicies(["Thing": EntityMergePolicy(fields: ["colour": .serverWins])]), "Thing", fields: ["title", "colour"])
        #expect(values["title"] == .string("b"))
        #expect(values["colour"] == .string("a"))
    }

    @Test func `a function of the program's own gets the base and both values, and what it makes of them is on every device`() throws {
        let join: MergeFunction = { base, local, remote in
            guard case .string(let mine) = local, case .string(let theirs) = remote else { return nil }
            guard case .string(let before)? = base else { return .string("\(theirs)|\(mine)") }
            return .string("\(before):\(theirs)|\(mine)")
        }
        let pair = try DevicePair(Self.entities, policies: MergePolicies(["Thing": EntityMergePolicy(functions: ["title": join])]))
        func expect(_ text: String) throws {
            try pair.settle()
            #expect(try [pair.a, pair.b].map { try pair.row($0, "1")?.attributes["title"] } == [.string(text), .string(text)])
        }
        // Also for what inherits from the entity.
        try pair.put(pair.a, "Tool", "1", ["title": .string("o")])
        try pair.settle()
        try pair.put(pair.a, "Tool", "1", ["title": .string("a")])
        try pair.put(pair.b, "Tool", "1", ["title": .string("b")])
        try pair.a.sync()
        try expect("o:a|b")
        // An edit of one side is no conflict, and neither are two that are the same.
        try pair.put(pair.b, "Tool", "1", ["title": .string("c")])
        try expect("c")
        for device in [pair.a, pair.b] { try pair.put(device, "Tool", "1", ["title": .string("d")]) }
        try expect("d")
        // A device that is behind is asked more than once; an answer that was lost is no conflict.
        try pair.put(pair.b, "Tool", "1", ["title": .string("x")])
        pair.b.lostAnswers = 1
        try pair.b.sync()
        try pair.put(pair.b, "Tool", "1", ["title": .string("y")])
        try expect("y")
    }

    @Test func `where the function has no answer, or none that fits, the entity's policy decides`() throws {
        for answer in [nil, PropertyValue.integer(1)] {
            let policies = MergePolicies(["Thing": EntityMergePolicy(conflicts: .serverWins, functions: ["title": { _, _, _ in answer }])])
            #expect(try contend(policies, "Thing", fields: ["title"])["title"] == .string("a"))
        }
    }

    @Test func `a function of an entity decides for every field of which nothing else is said, also of what inherits from it`() throws {
        let join: EntityMergeFunction = { property, _, local, remote in
            guard case .string(let mine) = local, case .string(let theirs) = remote else { return nil }
            return .string("\(property) \(theirs)\(mine)")
        }
        let policies = MergePolicies(["Thing": EntityMergePolicy(conflicts: .serverWins, fields: ["colour": .clientWins], function: join)])
        for entity in ["Thing", "Tool"] {
            let values = try contend(policies, entity, fields: ["title", "colour"])
            #expect(values["title"] == .string("title ab") && values["colour"] == .string("b"))
        }
        // Where it has no answer, the entity's policy; and what a subclass says of itself goes before it.
        #expect(try contend(policies, "Tool", fields: ["weight"])["weight"] == .double(1))
        var own = policies
        own.entities["Tool"] = EntityMergePolicy(conflicts: .serverWins)
        #expect(try contend(own, "Tool", fields: ["title"])["title"] == .string("a"))
    }

    @Test func `a policy for what the schema does not have is refused by name`() throws {
        let cases: [(MergePolicies, String)] = [
            (MergePolicies(["Thng": EntityMergePolicy()]), "entity `Thng`"),
            (MergePolicies(["Tool": EntityMergePolicy(fields: ["color": .serverWins])]), "property `color`"),
            (MergePolicies(["Tool": EntityMergePolicy(functions: ["color": { _, local, _ in local }])]), "property `color`"),
        ]
        for (policies, found) in cases {
            let fault = #expect(throws: PolicyFault.self) { try DeviceDouble(ZoneDouble(), Self.entities, policies: policies, seed: 1) }
            #expect(fault?.found == found)
        }
    }
}
