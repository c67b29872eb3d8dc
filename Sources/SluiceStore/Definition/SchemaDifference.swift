package import SluiceSchema

/// What differs between the schema in a store and the one asked for, in words: entity and property first, then both shapes.
package struct SchemaDifference: CustomStringConvertible {
    package let lines: [String]

    package init(from held: Schema, to wanted: Schema) {
        var lines: [String] = []
        for entity in held.entities where wanted.entity(named: entity.name) == nil { lines.append("it has entity \(entity.name)") }
        for entity in wanted.entities {
            guard let other = held.entity(named: entity.name) else {
                lines.append("it lacks entity \(entity.name)")
                continue
            }
            lines += Self.lines(entity.name, from: other.properties, to: entity.properties)
            lines += Self.constraints(from: other, to: entity)
            if other.superentity != entity.superentity {
                lines.append("\(entity.name) \(Self.parent(other)) there and \(Self.parent(entity)) here")
            }
        }
        self.lines = lines
    }

    private static func lines(_ entity: String, from held: [SchemaProperty], to wanted: [SchemaProperty]) -> [String] {
        let heldNames = Dictionary(held.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let wantedNames = Set(wanted.map(\.name))
        let gone = held.filter { !wantedNames.contains($0.name) }.map { "it has \($0.kind) \(entity).\($0.name) (\($0.shape))" }
        return gone + wanted.compactMap { property in
            guard let other = heldNames[property.name] else { return "it lacks \(property.kind) \(entity).\(property.name) (\(property.shape))" }
            guard other != property else { return nil }
            return "\(property.kind) \(entity).\(property.name) is \(other.wholeShape) there and \(property.wholeShape) here"
        }
    }

    private static func constraints(from held: Entity, to wanted: Entity) -> [String] {
        func words(_ sets: [[String]]) -> String { sets.isEmpty ? "nothing" : sets.map { $0.joined(separator: " with ") }.joined(separator: ", ") }
        var lines: [String] = []
        if held.uniqueness != wanted.uniqueness {
            lines.append("\(wanted.name): unique is \(words(held.uniqueness)) there and \(words(wanted.uniqueness)) here")
        }
        if held.indices != wanted.indices {
            lines.append("\(wanted.name): an index is over \(words(held.indices)) there and over \(words(wanted.indices)) here")
        }
        if held.identity != wanted.identity {
            let (there, here) = (words([held.identity].filter { !$0.isEmpty }), words([wanted.identity].filter { !$0.isEmpty }))
            lines.append("\(wanted.name): its identity is \(there) there and \(here) here")
        }
        return lines
    }

    private static func parent(_ entity: Entity) -> String { entity.superentity.map { "inherits from \($0)" } ?? "inherits from nothing" }

    package var description: String {
        let shown = lines.prefix(5).joined(separator: "; ")
        return lines.count > 5 ? "\(shown); and \(lines.count - 5) more" : shown.isEmpty ? "declared otherwise" : shown
    }
}

extension SchemaProperty {
    /// The shape with all that two properties of one shape may differ in.
    fileprivate var wholeShape: String {
        var words = [shape]
        switch self {
        case .attribute(let attribute):
            if let value = attribute.defaultValue, !value.isNull { words.append("default \(ScalarForm(value).text)") }
            if attribute.isExternal { words.append("external") }
            if attribute.isPreservedOnDeletion { words.append("preserved on deletion") }
            if let modifier = attribute.hashModifier { words.append("hash modifier \(modifier)") }
        case .relationship(let relationship):
            words.append(relationship.inverse.map { "inverse \($0)" } ?? "no inverse")
            words.append("delete rule \(relationship.deleteRule.rawValue)")
            if relationship.minimumCount > 0 || relationship.maximumCount > 0 {
                words.append("\(relationship.minimumCount) to \(relationship.maximumCount) members")
            }
        }
        if wireName != name { words.append("called \(wireName) on the wire") }
        return words.joined(separator: ", ")
    }
}
