// A field keeps the name it had in the schema's first version, on the wire and so on every device, whatever it was renamed to since. A
// program only knows the names of its own version and perhaps the one before; the store knows the first.

extension Schema {
    /// This schema with the first-version names that `held` knows: paired entities and properties keep theirs.
    ///
    /// A property that is new and would take a name that another one has on the wire gets one of its own.
    package func adopting(wireNamesOf held: Schema) -> Schema {
        var adoption = NameAdoption(match: SchemaMatch(from: held, to: self))
        return Schema(name: name, version: version, sound: adoption.entities())
    }

    /// Whether a store that holds `held` has this shape already: nothing differs but version and name.
    package func isSameShape(as held: Schema) -> Bool { adopting(wireNamesOf: held).entities == held.entities }
}

private struct NameAdoption {
    let match: SchemaMatch
    private var schema: Schema { match.to }

    init(match: SchemaMatch) { self.match = match }

    mutating func entities() -> [Entity] {
        let properties = propertyNames()
        var taken = Set(match.pairs.map(\.from.wireName))
        return schema.entities.map { entity in
            var entity = entity
            if let source = match.source(of: entity.name) {
                entity.wireName = source.wireName
            } else {
                entity.wireName = Self.free(entity.wireName, else: entity.name, among: &taken)
            }
            let names = properties[entity.name] ?? [:]
            for index in entity.attributes.indices {
                entity.attributes[index].wireName = names[entity.attributes[index].name] ?? entity.attributes[index].wireName
            }
            for index in entity.relationships.indices {
                entity.relationships[index].wireName = names[entity.relationships[index].name] ?? entity.relationships[index].wireName
            }
            return entity
        }
    }

    /// Wire names of each entity's own properties. Names are distinct in a whole hierarchy's table only where they meet in one lineage.
    private func propertyNames() -> [String: [String: String]] {
        var names: [String: [String: String]] = [:]
        for entity in schema.entities {
            for property in entity.properties {
                if let source = source(of: property, declaredBy: entity) {
                    names[entity.name, default: [:]][property.name] = source.wireName
                }
            }
        }
        for entity in schema.entities {
            let relatives = schema.lineage(of: entity) + schema.family(of: entity)
            for property in entity.properties where names[entity.name]?[property.name] == nil {
                var taken = Set(relatives.flatMap { (names[$0.name] ?? [:]).values })
                names[entity.name, default: [:]][property.name] = Self.free(property.wireName, else: property.name, among: &taken)
            }
        }
        return names
    }

    /// The old property behind one that `entity` declares: its own, or that of an entity below, whose property moved up.
    private func source(of property: SchemaProperty, declaredBy entity: Entity) -> SchemaProperty? {
        let heirs = [entity] + schema.family(of: entity).filter { $0.name != entity.name }
        return heirs.lazy.compactMap { match.source(of: property.name, in: $0.name) }.first
    }

    /// The wanted name; where that is taken the other one, and where that is taken too the same with a number.
    private static func free(_ wanted: String, else other: String, among taken: inout Set<String>) -> String {
        var name = taken.contains(wanted) ? other : wanted
        var number = 2
        while !taken.insert(name).inserted {
            name = "\(other)_\(number)"
            number += 1
        }
        return name
    }
}
