import SluiceSchema

/// Decodes entities and remembers where each stands, so that what is found wrong with the whole can be shown in its place.
struct EntityDecoder {
    private let log: FaultLog
    /// By entity, then by property; an entity's own place has an empty name.
    private(set) var positions: [String: [String: Position]] = [:]

    init(log: FaultLog) { self.log = log }

    func position(_ entity: String, _ property: String = "") -> Position? { positions[entity]?[property] }

    mutating func entity(_ entry: YAMLNode.Entry) -> Entity? {
        positions[entry.key] = ["": entry.position]
        guard let section = Section<EntityKey>(entry.value, name: entry.key, log: log) else { return nil }
        var uniqueness: [[String]] = []
        var attributes: [Attribute] = []
        for item in properties(section[.attributes], of: entry.key) {
            guard let (attribute, isUnique) = attribute(item) else { continue }
            attributes.append(attribute)
            if isUnique { uniqueness.append([attribute.name]) }
        }
        let relationships = properties(section[.relationships], of: entry.key).compactMap { relationship($0) }
        return Entity(
            entry.key, wireName: section.value(.wireName, .text), superentity: section.value(.extends, .text),
            isAbstract: section.value(.abstract, .flag) ?? false, attributes: attributes, relationships: relationships,
            uniqueness: uniqueness + sets(section[.unique]), indices: sets(section[.index]),
            identity: section.values(.identity, .text) ?? [], isLocalOnly: section.value(.localOnly, .flag) ?? false)
    }

    private mutating func properties(_ node: YAMLNode?, of entity: String) -> [YAMLNode.Entry] {
        let entries = node.flatMap { log.entries($0, expected: "a mapping of properties by name") } ?? []
        for entry in entries { positions[entity, default: [:]][entry.key] = entry.position }
        return entries
    }

    /// `name: string`, or `name: string?` for an optional one, or a mapping with `type` and more.
    private func attribute(_ entry: YAMLNode.Entry) -> (Attribute, isUnique: Bool)? {
        if case .scalar(let text) = entry.value.content, !entry.value.isNothing {
            let isOptional = text.hasSuffix("?")
            let type = entry.value.replacingText(with: isOptional ? String(text.dropLast()) : text)
            return log.value(type, .choice(AttributeType.self)).map { (Attribute(entry.key, $0, isOptional: isOptional), false) }
        }
        guard let section = Section<AttributeKey>(entry.value, name: entry.key, log: log),
            let type = section.required(.type, .choice(AttributeType.self))
        else { return nil }
        let attribute = Attribute(
            entry.key, type, isOptional: section.value(.optional, .flag) ?? false,
            defaultValue: section.value(.default, .property(of: type)), wireName: section.value(.wireName, .text),
            isExternal: section.value(.external, .flag) ?? false,
            isPreservedOnDeletion: section.value(.preserveOnDeletion, .flag) ?? false,
            hashModifier: section.value(.hashModifier, .text))
        return (attribute, section.value(.unique, .flag) ?? false)
    }

    private func relationship(_ entry: YAMLNode.Entry) -> Relationship? {
        guard let section = Section<RelationshipKey>(entry.value, name: entry.key, log: log) else { return nil }
        let counts = 0...1_000_000
        let destination = section.required(.to, .text)
        let relationship = Relationship(
            entry.key, to: destination ?? "", isToMany: section.value(.toMany, .flag) ?? false,
            isOptional: section.value(.optional, .flag) ?? true, isOrdered: section.value(.ordered, .flag) ?? false,
            inverse: section.value(.inverse, .text), deleteRule: section.value(.deleteRule, .choice()) ?? .nullify,
            minimumCount: section.value(.minimum, .integer(counts)) ?? 0,
            maximumCount: section.value(.maximum, .integer(counts)) ?? 0, wireName: section.value(.wireName, .text))
        return destination == nil ? nil : relationship
    }

    /// A list whose items are a property's name, or a list of names that belong together.
    private func sets(_ node: YAMLNode?) -> [[String]] {
        guard let node, let items = log.list(node, expected: "a list of names, or of lists of names") else { return [] }
        return items.compactMap { item in
            if case .sequence(let names) = item.content { return names.compactMap { log.scalar($0, expected: "a property's name") } }
            return log.scalar(item, expected: "a property's name, or a list of them").map { [$0] }
        }
    }
}
