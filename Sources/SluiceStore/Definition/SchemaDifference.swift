package import SluiceSchema

/// What differs between the schema in a store and the one asked for, in words: entity and property first.
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
            lines += Self.lines(entity.name, "attribute", from: other.attributes, to: entity.attributes, name: \.name)
            lines += Self.lines(entity.name, "relationship", from: other.relationships, to: entity.relationships, name: \.name)
            if other.uniqueness != entity.uniqueness || other.indices != entity.indices { lines.append("\(entity.name): other constraints") }
            if other.identity != entity.identity { lines.append("\(entity.name): another identity") }
            if other.superentity != entity.superentity { lines.append("\(entity.name): another superentity") }
        }
        self.lines = lines
    }

    private static func lines<Property: Equatable>(
        _ entity: String, _ kind: String, from held: [Property], to wanted: [Property], name: KeyPath<Property, String>
    ) -> [String] {
        let heldNames = Dictionary(held.map { ($0[keyPath: name], $0) }, uniquingKeysWith: { first, _ in first })
        let wantedNames = Set(wanted.map { $0[keyPath: name] })
        return held.filter { !wantedNames.contains($0[keyPath: name]) }.map { "it has \(kind) \(entity).\($0[keyPath: name])" }
            + wanted.compactMap { property in
                guard let other = heldNames[property[keyPath: name]] else { return "it lacks \(kind) \(entity).\(property[keyPath: name])" }
                return other == property ? nil : "\(kind) \(entity).\(property[keyPath: name]) is declared otherwise"
            }
    }

    package var description: String {
        let shown = lines.prefix(5).joined(separator: "; ")
        return lines.count > 5 ? "\(shown); and \(lines.count - 5) more" : shown.isEmpty ? "declared otherwise" : shown
    }
}
