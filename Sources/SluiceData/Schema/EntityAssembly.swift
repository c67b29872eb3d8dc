/// Puts entities together: classes become entities, and superentities, subentities and inherited properties find each other.
enum EntityAssembly {
    /// The classes given, what they relate to, and their superclasses, in the order in which they are met.
    static func entities(of types: [any PersistentModel.Type], faults: inout [ModelFault]) -> [Schema.Entity] {
        var shapes: [ModelShape] = []
        var names: [String: ModelShape] = [:]
        var waiting = types.reversed().map { ModelShape.of($0) }
        while let shape = waiting.popLast() {
            if let known = names[shape.entityName] {
                if known !== shape { faults.append(.duplicateEntity(shape.entityName, "\(known.type)", "\(shape.type)")) }
                continue
            }
            names[shape.entityName] = shape
            shapes.append(shape)
            waiting += shape.ownProperties.reversed().compactMap { $0.destination.map { ModelShape.of($0) } }
            if let superclass = shape.superclass { waiting.append(superclass) }
        }
        return shapes.map { entity(of: $0, faults: &faults) }
    }

    private static func entity(of shape: ModelShape, faults: inout [ModelFault]) -> Schema.Entity {
        let entity = Schema.Entity(shape.entityName, modelType: shape.type, properties: shape.ownProperties.map(property))
        entity.originalName = shape.originalName ?? ""
        entity.superentityName = shape.superclass?.entityName
        entity.uniquenessConstraints = shape.uniqueness
        entity.indices = shape.indices
        for property in shape.ownProperties where property.attributeKind != nil && property.relationship != nil {
            faults.append(.relationshipOnValue(property.name, entity: shape.entityName))
        }
        faults += shape.unresolvedConstraints.map { .unresolvedConstraint($0, entity: shape.entityName) }
        return entity
    }

    /// Made anew for each schema: a class's metadata is shared by all schemas of the process.
    private static func property(_ property: ModelProperty) -> any SchemaProperty {
        switch property.kind {
        case .attribute:
            let declared = property.attribute
            return Schema.Attribute(
                Schema.Attribute.Parts(
                    name: property.name, originalName: declared?.declaredOriginalName ?? "", options: declared?.options ?? [],
                    valueType: property.valueType, defaultValue: property.makeDefaultValue(), storedDefault: property.constantDefault,
                    isOptional: property.isOptional, hashModifier: declared?.hashModifier))
        case .toOne(let destination), .toMany(let destination):
            return Schema.Relationship(
                property: property, destination: ModelShape.of(destination).entityName, declared: property.relationship,
                options: property.relationship?.options ?? (property.attribute?.isUnique == true ? [.unique] : []))
        }
    }

    /// Superentities first, inherited properties filled in. Subentities that were not given join.
    static func arrange(_ given: [Schema.Entity], faults: inout [ModelFault]) -> [Schema.Entity] {
        var entities = given
        var next = 0
        while next < entities.count {
            let joining = entities[next].subentities.sorted { $0.name < $1.name }.filter { one in !entities.contains { $0 === one } }
            entities += joining
            next += 1
        }
        let byName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for entity in entities {
            if let other = byName[entity.name], other !== entity { faults.append(.duplicateEntity(entity.name, entity.name, entity.name)) }
            guard let name = entity.superentityName, let superentity = byName[name], superentity !== entity else { continue }
            if entity.superentity !== superentity { entity.superentity = superentity }
            if !superentity.subentities.contains(where: { $0 === entity }) { superentity.subentities.insert(entity) }
        }
        var arranged: [(depth: Int, entity: Schema.Entity)] = []
        for entity in entities {
            let ancestors = ancestors(of: entity)
            entity.inheritedProperties = ancestors.reversed().flatMap(\.storedProperties)
            arranged.append((ancestors.count, entity))
        }
        // Stable: entities of one depth keep their order.
        return arranged.enumerated().sorted { ($0.element.depth, $0.offset) < ($1.element.depth, $1.offset) }.map(\.element.entity)
    }

    /// The superentity, its superentity, and so on; a cycle ends where it closes.
    static func ancestors(of entity: Schema.Entity) -> [Schema.Entity] {
        var ancestors: [Schema.Entity] = []
        while let next = (ancestors.last ?? entity).superentity, next !== entity, !ancestors.contains(where: { $0 === next }) {
            ancestors.append(next)
        }
        return ancestors
    }
}
