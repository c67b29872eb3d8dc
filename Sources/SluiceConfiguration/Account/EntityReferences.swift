import SluiceNotation
import SluiceSchema

/// Compares the names that an account file uses with the schema that it names.
struct EntityReferences {
    let schema: Schema
    let log: FaultLog

    /// Checks the keys of the mapping below `key`, which are entities, and the lists of their properties below `properties`; of a list of
    /// sections each.
    func check(_ section: YAMLNode?, below key: String, properties: [String]) {
        if case .sequence(let sections)? = section?.content {
            return sections.forEach { check($0, below: key, properties: properties) }
        }
        let named = Self.entries(section).first { $0.key == key }?.value
        for entry in Self.entries(named) {
            guard let entity = schema.entity(named: entry.key) else {
                log.add(
                    entry.position, found: "entity `\(entry.key)`", expected: "one of schema \(schema.name) \(schema.version)",
                    suggestion: Spelling.nearest(to: entry.key, in: schema.entities.map(\.name)))
                continue
            }
            let known = schema.attributes(of: entity).map(\.name) + schema.relationships(of: entity).map(\.name)
            for list in Self.entries(entry.value) where properties.contains(list.key) {
                guard case .sequence(let nodes) = list.value.content else { continue }
                for node in nodes { check(node, of: entity, known: known) }
            }
        }
    }

    private func check(_ node: YAMLNode, of entity: Entity, known: [String]) {
        guard case .scalar(let text) = node.content else { return }
        // A dash in front turns an order round.
        let name = text.hasPrefix("-") ? String(text.dropFirst()) : text
        guard !known.contains(name) else { return }
        log.add(
            node.position, found: "property `\(name)`", expected: "one of entity \(entity.name)",
            suggestion: Spelling.nearest(to: name, in: known))
    }

    private static func entries(_ node: YAMLNode?) -> [YAMLNode.Entry] {
        if case .mapping(let entries)? = node?.content { entries } else { [] }
    }
}
