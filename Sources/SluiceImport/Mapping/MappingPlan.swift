// What a mapping makes of one schema. Besides what it says itself:
//
// - With an entity goes what inherits from it, and every relationship that leads to nothing else.
// - With a to-one goes the to-many that is its other end, and with either end of a many-to-many the other: their values are the same ones.
// - A constraint or an index that names something omitted goes; both stand in the report.

import SluiceNotation
import SluiceSchema

/// The fate of every entity and property of a legacy file.
struct MappingPlan {
    struct Key: Hashable {
        /// The entity that declares the property, in the file's names.
        let entity: String
        let property: String

        var text: String { "\(entity).\(property)" }
    }

    let mapping: LegacyMapping
    let source: Schema
    /// New names of the entities that stay.
    private(set) var entityNames: [String: String] = [:]
    /// Reasons, by entity.
    private(set) var omittedEntities: [String: String] = [:]
    /// Reasons, by property of an entity that stays.
    private(set) var omittedProperties: [Key: String] = [:]
    private(set) var conversions: [Key: TypeChange] = [:]
    private var names: [Key: String] = [:]

    /// - Throws: `ImportError.unusableMapping` with every word that means nothing here.
    init(_ mapping: LegacyMapping, for schema: Schema, kind: ImportReport.Kind) throws(ImportError) {
        self.mapping = mapping
        source = schema
        var faults: [MappingFault] = []
        for (name, entry) in mapping.entities.sorted(by: { ($0.value.source.line, $0.key) < ($1.value.source.line, $1.key) }) {
            guard let entity = schema.entity(named: name) else {
                faults.append(
                    MappingFault(
                        mapping, entry.source, found: "entity `\(name)`", expected: "one of the legacy store",
                        suggestion: Spelling.nearest(to: name, in: schema.entities.map(\.name))))
                continue
            }
            read(entry, of: entity, kind, &faults)
        }
        guard faults.isEmpty else { throw .unusableMapping(faults) }
        for entity in schema.entities where omittedEntities[entity.name] == nil {
            entityNames[entity.name] = mapping.entities[entity.name]?.name?.text ?? entity.name
        }
        follow()
    }

    private mutating func read(_ entry: LegacyMapping.Entity, of entity: Entity, _ kind: ImportReport.Kind, _ faults: inout [MappingFault]) {
        if let reason = entry.omission {
            for member in source.family(of: entity) {
                omittedEntities[member.name] = reason.text
                guard member.name != entity.name, let other = mapping.entities[member.name], other.omission == nil else { continue }
                faults.append(
                    MappingFault(
                        mapping, other.source, found: "a rule for `\(member.name)`, which inherits from \(entity.name)",
                        expected: "none: what inherits from an omitted entity is omitted"))
            }
        }
        if let identity = entry.identity, kind != .coreData {
            faults.append(
                MappingFault(mapping, identity, found: "`identity` for a store that names its records", expected: "none"))
        }
        for (name, property) in entry.properties.sorted(by: { ($0.value.source.line, $0.key) < ($1.value.source.line, $1.key) }) {
            read(property, named: name, of: entity, &faults)
        }
    }

    private mutating func read(
        _ property: LegacyMapping.Property, named name: String, of entity: Entity, _ faults: inout [MappingFault]
    ) {
        guard let owner = owner(of: name, in: entity.name) else {
            let known = source.attributes(of: entity).map(\.name) + source.relationships(of: entity).map(\.name)
            faults.append(
                MappingFault(
                    mapping, property.source, found: "property `\(name)`", expected: "one of entity \(entity.name) of the legacy store",
                    suggestion: Spelling.nearest(to: name, in: known)))
            return
        }
        guard owner == entity.name else {
            faults.append(
                MappingFault(
                    mapping, property.source, found: "property `\(name)`, which \(entity.name) inherits",
                    expected: "its rule at \(owner), which declares it"))
            return
        }
        let key = Key(entity: entity.name, property: name)
        if let reason = property.omission { omittedProperties[key] = reason.text }
        if let new = property.name { names[key] = new.text }
        guard let type = property.type else { return }
        guard let attribute = entity.attributes.first(where: { $0.name == name }) else {
            faults.append(
                MappingFault(mapping, property.typeWord ?? property.source, found: "a type for a relationship", expected: "none"))
            return
        }
        if type != attribute.type { conversions[key] = TypeChange(from: attribute.type, to: type) }
    }

    /// Omits what follows from what is omitted, until nothing more does.
    private mutating func follow() {
        for entity in source.entities {
            for relationship in entity.relationships where omittedEntities[relationship.destination] != nil {
                omit(Key(entity: entity.name, property: relationship.name), because: "it leads to \(relationship.destination), which is omitted")
            }
        }
        for entity in source.entities {
            for relationship in entity.relationships {
                let key = Key(entity: entity.name, property: relationship.name)
                guard let inverse = source.inverse(of: relationship), inverse.isToMany,
                    let owner = owner(of: inverse.name, in: relationship.destination)
                else { continue }
                // A to-one holds the members of its other end; a many-to-many is one set of pairs.
                let other = Key(entity: owner, property: inverse.name)
                if isOmitted(key) { omit(other, because: "\(key.text) is omitted") }
                if relationship.isToMany, isOmitted(other) { omit(key, because: "\(other.text) is omitted") }
            }
        }
    }

    private mutating func omit(_ key: Key, because reason: String) {
        guard !isOmitted(key) else { return }
        omittedProperties[key] = reason
    }

    // MARK: Looking things up

    /// The entity in the lineage of `entity` that declares the property.
    func owner(of property: String, in entity: String) -> String? {
        guard let entity = source.entity(named: entity) else { return nil }
        return source.lineage(of: entity).first { owner in
            owner.attributes.contains { $0.name == property } || owner.relationships.contains { $0.name == property }
        }?.name
    }

    func isOmitted(_ key: Key) -> Bool { omittedProperties[key] != nil || omittedEntities[key.entity] != nil }

    func reason(for key: Key) -> String? { omittedEntities[key.entity] ?? omittedProperties[key] }

    func name(_ key: Key) -> String { names[key] ?? key.property }

    /// "Entity.property" of the file in new names; as it is where it is no such thing.
    func renamed(_ text: String) -> String {
        guard let key = Key(text), let entity = entityNames[key.entity] else { return text }
        return "\(entity).\(name(key))"
    }

    /// Whether rows have to be looked at to know what becomes of them.
    var changesValues: Bool { !omittedEntities.isEmpty || !omittedProperties.isEmpty || !conversions.isEmpty }
}

extension MappingPlan.Key {
    /// From "Entity.property"; nil for text without a point.
    init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        entity = String(parts[0])
        property = String(parts[1])
    }
}
