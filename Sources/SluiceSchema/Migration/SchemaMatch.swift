// Which entity and which property of one schema is which of another. Names decide first; a hint (`originalName`, kept as the wire name)
// only says something where a name is new. Nothing is guessed from shapes: what looks like a rename and is not said to be one stays
// unpaired.

/// The entities and properties of two schemas, paired.
package struct SchemaMatch: Sendable {
    package let from: Schema
    package let to: Schema
    /// Names of `from`'s entities, by those of `to`.
    private let sources: [String: String]
    /// Names of the old entity's properties by those of the new one, its own and its inherited ones, by the new entity's name.
    private let properties: [String: [String: String]]

    package init(from: Schema, to: Schema) {
        self.from = from
        self.to = to
        sources = Self.pairedEntities(from, to)
        var properties: [String: [String: String]] = [:]
        for (name, source) in sources {
            guard let new = to.entity(named: name), let old = from.entity(named: source) else { continue }
            properties[name] = Self.pairedProperties(from.properties(of: old), to.properties(of: new))
        }
        self.properties = properties
    }

    private init(_ match: SchemaMatch, to: Schema) {
        from = match.from
        self.to = to
        sources = match.sources
        properties = match.properties
    }

    /// The same pairs with `schema` in place of `to`, from which it differs in names on the wire alone. To pair anew would take an adopted
    /// name for a hint.
    func replacing(to schema: Schema) -> SchemaMatch { SchemaMatch(self, to: schema) }

    // MARK: Entities

    /// The old entity that became `name`; nil where that is new.
    package func source(of name: String) -> Entity? { sources[name].flatMap { from.entity(named: $0) } }

    /// The new entity that the old one of that name became; nil where it goes.
    package func destination(of name: String) -> Entity? { sources.first { $0.value == name }.flatMap { to.entity(named: $0.key) } }

    /// Paired entities, by the new name.
    package var pairs: [(from: Entity, to: Entity)] {
        to.entities.compactMap { new in source(of: new.name).map { ($0, new) } }
    }

    /// Old entities that go, by name.
    package var gone: [Entity] { from.entities.filter { destination(of: $0.name) == nil } }

    /// New entities, by name.
    package var came: [Entity] { to.entities.filter { sources[$0.name] == nil } }

    private static func pairedEntities(_ from: Schema, _ to: Schema) -> [String: String] {
        var sources: [String: String] = [:]
        var left = from.entities
        func pair(_ matches: (_ old: Entity, _ new: Entity) -> Bool) {
            for new in to.entities where sources[new.name] == nil {
                guard let place = left.firstIndex(where: { matches($0, new) }) else { continue }
                sources[new.name] = left.remove(at: place).name
            }
        }
        pair { $0.name == $1.name }
        pair { $1.wireName == $0.name }
        pair { $1.wireName == $0.wireName }
        let coming = to.entities.filter { sources[$0.name] == nil }
        for (stem, new) in Dictionary(grouping: coming, by: { stem(of: $0.name) }) where new.count == 1 {
            let old = left.filter { self.stem(of: $0.name) == stem }
            if old.count == 1 { sources[new[0].name] = old[0].name }
        }
        return sources
    }

    /// The name without a trailing `V<digits>`: the classes of successive versions are often called that way.
    private static func stem(of name: String) -> Substring {
        let digits = name.reversed().prefix { $0.isASCII && $0.isNumber }.count
        let head = name.dropLast(digits)
        return digits > 0 && head.last == "V" && head.count > 1 ? head.dropLast() : name[...]
    }

    // MARK: Properties

    /// The old property that became `name` of the new entity called `entity`, inherited ones included; nil where that is new.
    package func source(of name: String, in entity: String) -> SchemaProperty? {
        guard let old = source(of: entity), let source = properties[entity]?[name] else { return nil }
        return from.properties(of: old).first { $0.name == source }
    }

    /// What the property of the old entity that became `entity` is called now; nil where it goes.
    package func destination(of name: String, in entity: String) -> SchemaProperty? {
        guard let new = to.entity(named: entity), let found = properties[entity]?.first(where: { $0.value == name })?.key else {
            return nil
        }
        return to.properties(of: new).first { $0.name == found }
    }

    /// Properties of a pair that go, inherited ones included.
    package func goneProperties(of pair: (from: Entity, to: Entity)) -> [SchemaProperty] {
        let kept = Set((properties[pair.to.name] ?? [:]).values)
        return from.properties(of: pair.from).filter { !kept.contains($0.name) }
    }

    /// Properties of a pair that are new, inherited ones included.
    package func cameProperties(of pair: (from: Entity, to: Entity)) -> [SchemaProperty] {
        let known = properties[pair.to.name] ?? [:]
        return to.properties(of: pair.to).filter { known[$0.name] == nil }
    }

    private static func pairedProperties(_ from: [SchemaProperty], _ to: [SchemaProperty]) -> [String: String] {
        var sources: [String: String] = [:]
        var left = from
        func pair(_ matches: (_ old: SchemaProperty, _ new: SchemaProperty) -> Bool) {
            for new in to where sources[new.name] == nil {
                guard let place = left.firstIndex(where: { matches($0, new) }) else { continue }
                sources[new.name] = left.remove(at: place).name
            }
        }
        pair { $0.name == $1.name }
        pair { $1.wireName == $0.name }
        pair { $1.wireName == $0.wireName }
        return sources
    }
}
