package import SluiceSchema
package import SluiceSync

/// The schema of random runs: required and optional references, cascades, pairs, a cycle, uniqueness, a natural key.
package enum RunSchema {
    package static let entities: [Entity] = [
        Entity(
            "Shelf", attributes: [Attribute("title", .string)],
            relationships: [Relationship("boxes", to: "Box", isToMany: true, inverse: "shelf", deleteRule: .cascade)]),
        Entity(
            "Box",
            attributes: [
                Attribute("text", .string, isOptional: true), Attribute("weight", .double, isOptional: true),
                Attribute("due", .date, isOptional: true),
            ],
            relationships: [
                Relationship("shelf", to: "Shelf", isOptional: false, inverse: "boxes"),
                Relationship("notes", to: "Note", isToMany: true, inverse: "box"),
                Relationship("tags", to: "Tag", isToMany: true, inverse: "boxes"),
            ]),
        Entity(
            "Note",
            attributes: [
                Attribute("text", .string, isOptional: true), Attribute("weight", .double, isOptional: true),
                Attribute("count", .int64, isOptional: true),
            ],
            relationships: [
                Relationship("box", to: "Box", inverse: "notes"), Relationship("next", to: "Note"),
                Relationship("topic", to: "Topic", inverse: "notes"),
            ]),
        Entity(
            "Tag", attributes: [Attribute("label", .string), Attribute("text", .string, isOptional: true)],
            relationships: [Relationship("boxes", to: "Box", isToMany: true, inverse: "tags")], uniqueness: [["label"]]),
        Entity(
            "Topic",
            attributes: [Attribute("key", .string), Attribute("text", .string, isOptional: true), Attribute("count", .int64, isOptional: true)],
            relationships: [Relationship("notes", to: "Note", isToMany: true, inverse: "topic")], identity: ["key"]),
        Entity("Card", attributes: [Attribute("score", .int64, isOptional: true), Attribute("labels", .codable, isOptional: true)]),
    ]
}

extension RunSchema {
    /// Notes and topics are counted. Of a card's scores the best stands, its labels are a set, and who edits it saves it from a deletion.
    package static let policies = MergePolicies([
        "Note": EntityMergePolicy(fields: ["count": .counter]), "Topic": EntityMergePolicy(fields: ["count": .counter]),
        "Card": EntityMergePolicy(fields: ["labels": .union], functions: ["score": best], deletions: .editWins),
    ])

    private static let best: MergeFunction = { _, local, remote in
        guard case .integer(let mine) = local, case .integer(let theirs) = remote else { return nil }
        return .integer(max(mine, theirs))
    }

    /// What the next version of the program has: a field more in two entities.
    package static let nextEntities: [Entity] = entities.map { entity in
        guard entity.name == "Note" || entity.name == "Box" else { return entity }
        var next = entity
        next.attributes.append(Attribute("colour", .string, isOptional: true))
        return next
    }

    package static func version(_ number: Int) -> SchemaVersion { SchemaVersion(number, 0, 0) }
}
