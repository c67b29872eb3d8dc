import SluiceSchema

/// The schema that a mapping makes of a legacy file's, and what had to go with it.
struct MappedSchema {
    let plan: MappingPlan
    private(set) var notes: [ImportNote] = []

    init(_ plan: MappingPlan) { self.plan = plan }

    mutating func schema(_ losses: MappedRows.Losses) throws(SchemaError) -> Schema {
        var entities: [Entity] = []
        for entity in plan.source.entities {
            guard let name = plan.entityNames[entity.name] else { continue }
            entities.append(self.entity(entity, named: name, losses))
        }
        return try Schema(name: plan.source.name, version: plan.source.version, validating: entities)
    }

    private mutating func entity(_ source: Entity, named name: String, _ losses: MappedRows.Losses) -> Entity {
        var entity = source
        entity.name = name
        if source.wireName == source.name { entity.wireName = name }
        if name != source.name { notes.append(.renamed(original: source.name, name: name)) }
        entity.superentity = source.superentity.flatMap { plan.entityNames[$0] }
        entity.attributes = source.attributes.compactMap { attribute($0, of: source.name, losses) }
        entity.relationships = source.relationships.compactMap { relationship($0, of: source.name) }
        entity.uniqueness = source.uniqueness.compactMap { kept($0, of: source.name, as: name) }
        entity.indices = source.indices.compactMap { kept($0, of: source.name, as: name) }
        entity.identity = source.identity.isEmpty ? [] : kept(source.identity, of: source.name, as: name) ?? []
        return entity
    }

    private mutating func attribute(_ source: Attribute, of entity: String, _ losses: MappedRows.Losses) -> Attribute? {
        let key = MappingPlan.Key(entity: entity, property: source.name)
        guard !plan.isOmitted(key) else { return nil }
        var attribute = source
        rename(&attribute.name, &attribute.wireName, key)
        guard let change = plan.conversions[key] else { return attribute }
        attribute.type = change.to
        attribute.isExternal = source.isExternal && change.to.isBytes
        notes.append(.converted(property: plan.renamed(key.text), from: change.from.rawValue, to: change.to.rawValue))
        if let value = source.defaultValue {
            attribute.defaultValue = change.converted(value)
            if attribute.defaultValue == nil { notes.append(.defaultDropped(property: plan.renamed(key.text))) }
        }
        if let count = losses.rounded[key] {
            notes.append(.rounded(property: plan.renamed(key.text), to: change.to.rawValue, count: count))
        }
        if let count = losses.unconverted[key], count > 0 {
            notes.append(.unconverted(property: plan.renamed(key.text), to: change.to.rawValue, count: count))
            if !source.isOptional {
                attribute.isOptional = true
                notes.append(.madeOptional(property: plan.renamed(key.text), rowCount: count))
            }
        }
        return attribute
    }

    private mutating func relationship(_ source: Relationship, of entity: String) -> Relationship? {
        let key = MappingPlan.Key(entity: entity, property: source.name)
        guard !plan.isOmitted(key), let destination = plan.entityNames[source.destination] else { return nil }
        var relationship = source
        rename(&relationship.name, &relationship.wireName, key)
        relationship.destination = destination
        if let inverse = source.inverse, let owner = plan.owner(of: inverse, in: source.destination) {
            let other = MappingPlan.Key(entity: owner, property: inverse)
            relationship.inverse = plan.isOmitted(other) ? nil : plan.name(other)
        }
        // Members that are omitted no longer count.
        let loses = plan.source.entity(named: source.destination).map { plan.source.family(of: $0) }?
            .contains { plan.omittedEntities[$0.name] != nil } ?? false
        if loses {
            relationship.isOptional = true
            relationship.minimumCount = 0
        }
        return relationship
    }

    private mutating func rename(_ name: inout String, _ wireName: inout String, _ key: MappingPlan.Key) {
        let new = plan.name(key)
        if wireName == name { wireName = new }
        if new != name { notes.append(.renamed(original: key.text, name: new)) }
        name = new
    }

    /// The properties in new names; nil, with a note, where one of them is omitted.
    private mutating func kept(_ properties: [String], of entity: String, as name: String) -> [String]? {
        let keys = properties.map { property in
            MappingPlan.Key(entity: plan.owner(of: property, in: entity) ?? entity, property: property)
        }
        guard let omitted = keys.first(where: plan.isOmitted) else { return keys.map(plan.name) }
        notes.append(.constraintDropped(entity: name, properties: properties, reason: "\(omitted.property) is omitted"))
        return nil
    }
}
