package import SluiceSchema

extension Schema {
    /// The same shape as the store has it.
    /// - Throws: `SwiftDataError.invalidSchema`, naming every fault: the class, the property and what to write.
    package func storeSchema(named name: String) throws(SwiftDataError) -> SluiceSchema.Schema {
        let faults = faults + entities.flatMap(Self.faults)
        guard faults.isEmpty else { throw SwiftDataError.invalidSchema(faults) }
        do {
            return try SluiceSchema.Schema(name: name, version: version.stored, validating: entities.map(stored))
        } catch {
            // What the store refuses beyond the above, such as a property that stands twice in a hierarchy.
            throw SwiftDataError.invalidSchema(error.faults)
        }
    }

    // MARK: Faults

    private static func faults(of entity: Entity) -> [ModelFault] {
        let own = entity.storedProperties.flatMap { faults(of: $0, in: entity) }
        let constrained = Set((entity.uniquenessConstraints + entity.indices).joined()).sorted()
        return own
            + constrained.compactMap { name -> ModelFault? in
                if entity.relationshipsByName[name]?.isToOneRelationship == false { return .toManyInConstraint(name, entity: entity.name) }
                if entity.attributesByName[name]?.isEphemeral == true { return .ephemeralInConstraint(name, entity: entity.name) }
                return nil
            }
    }

    private static func faults(of property: any SchemaProperty, in entity: Entity) -> [ModelFault] {
        switch property {
        case let attribute as Attribute:
            guard attribute.kind == .unsupported, !attribute.isEphemeral else { return [] }
            return [.unsupportedType("\(attribute.valueType)", attribute: attribute.name, entity: entity.name)]
        case let relationship as Relationship:
            var faults: [ModelFault] = []
            if relationship.isToOneRelationship, relationship.isOrdered {
                faults.append(.orderedToOne(relationship.name, entity: entity.name))
            }
            if !relationship.isToOneRelationship, relationship.isUnique {
                faults.append(.toManyInConstraint(relationship.name, entity: entity.name))
            }
            let (least, most) = (relationship.minimumModelCount ?? 0, relationship.maximumModelCount ?? 0)
            if least < 0 || most < 0 || (most > 0 && least > most) {
                faults.append(.impossibleCounts(relationship.name, entity: entity.name))
            }
            return faults
        default: return [.unknownPropertyKind(property.name, entity: entity.name)]
        }
    }

    // MARK: Translation

    private func stored(_ entity: Entity) -> SluiceSchema.Entity {
        let attributes = entity.storedProperties.compactMap { ($0 as? Attribute).flatMap(Self.stored) }
        let relationships = entity.storedProperties.compactMap { ($0 as? Relationship).map(Self.stored) }
        let alone = entity.storedProperties.filter(\.isUnique).map { [$0.name] }
        let together = entity.uniquenessConstraints.filter { group in !alone.contains(group) && !isImplied(group, in: entity) }
        return SluiceSchema.Entity(
            entity.name, wireName: entity.originalName, superentity: entity.superentityName, attributes: attributes,
            relationships: relationships, uniqueness: Self.storedNames(alone + Self.once(together)),
            indices: Self.storedNames(Self.once(entity.indices)))
    }

    /// A one-to-one relationship is unique by itself, so that a set with it is too; and one side has no column for it.
    private func isImplied(_ group: [String], in entity: Entity) -> Bool {
        group.count > 1
            && group.contains { name in
                guard let relationship = entity.relationshipsByName[name], let inverse = relationship.inverseName else { return false }
                return entitiesByName[relationship.destination]?.relationshipsByName[inverse]?.isToOneRelationship == true
            }
    }

    private static func once(_ groups: [[String]]) -> [[String]] {
        var seen: Set<[String]> = []
        return groups.filter { seen.insert($0).inserted }
    }

    private static func storedNames(_ groups: [[String]]) -> [[String]] { groups.map { $0.map(StoredName.of) } }

    /// nil for an ephemeral attribute, which has no column.
    private static func stored(_ attribute: Attribute) -> SluiceSchema.Attribute? {
        guard !attribute.isEphemeral, let type = attribute.kind.type else { return nil }
        return SluiceSchema.Attribute(
            StoredName.of(attribute.name), type, isOptional: attribute.isOptional, defaultValue: attribute.storedDefault,
            wireName: StoredName.of(attribute.originalName), isExternal: attribute.options.contains(.externalStorage),
            isPreservedOnDeletion: attribute.options.contains(.preserveValueOnDeletion), hashModifier: attribute.hashModifier)
    }

    private static func stored(_ relationship: Relationship) -> SluiceSchema.Relationship {
        let isToMany = !relationship.isToOneRelationship
        return SluiceSchema.Relationship(
            StoredName.of(relationship.name), to: relationship.destination, isToMany: isToMany, isOptional: isToMany || relationship.isOptional,
            isOrdered: relationship.isOrdered, inverse: relationship.inverseName.map(StoredName.of), deleteRule: relationship.deleteRule.stored,
            minimumCount: isToMany ? relationship.minimumModelCount ?? 0 : 0,
            maximumCount: isToMany ? relationship.maximumModelCount ?? 0 : 0,
            wireName: StoredName.of(relationship.originalName))
    }
}
