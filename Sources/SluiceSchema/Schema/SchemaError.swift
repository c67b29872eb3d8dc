/// One thing that is wrong with a schema, and what to write instead.
public enum SchemaFault: Hashable, Sendable {
    case emptyName(in: String)
    case reservedName(String, in: String)
    case duplicateEntity(String)
    case duplicateProperty(String, entity: String)
    case unknownSuperentity(String, entity: String)
    case inheritanceCycle(entity: String)
    case unknownDestination(String, relationship: String, entity: String)
    case inverseMissing(String, relationship: String, entity: String)
    case inverseDisagrees(relationship: String, entity: String)
    case unknownProperty(String, usedIn: String, entity: String)
    case toManyInConstraint(String, entity: String)
    case optionalIdentity(String, entity: String)
    case defaultDoesNotFit(attribute: String, entity: String)
}

extension SchemaFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .emptyName(let place): "\(place): a name is empty; give it one"
        case .reservedName(let name, let place): "\(place): the name \(name) is reserved; names must not begin with an underscore"
        case .duplicateEntity(let name): "entity \(name) stands twice; keep one"
        case .duplicateProperty(let name, let entity): "\(entity).\(name) stands twice in its hierarchy; rename or remove one"
        case .unknownSuperentity(let name, let entity): "\(entity): there is no entity \(name) to inherit from"
        case .inheritanceCycle(let entity): "\(entity) inherits from itself"
        case .unknownDestination(let name, let relationship, let entity): "\(entity).\(relationship): there is no entity \(name)"
        case .inverseMissing(let name, let relationship, let entity): "\(entity).\(relationship): its inverse \(name) does not exist"
        case .inverseDisagrees(let relationship, let entity):
            "\(entity).\(relationship): its inverse does not point back; name \(relationship) as the inverse over there too"
        case .unknownProperty(let name, let place, let entity): "\(entity): \(place) names \(name), which is no property"
        case .toManyInConstraint(let name, let entity): "\(entity): \(name) is to-many and cannot be unique or indexed"
        case .optionalIdentity(let name, let entity): "\(entity): identity attribute \(name) is optional; an identity always has a value"
        case .defaultDoesNotFit(let attribute, let entity): "\(entity).\(attribute): the default is of another type"
        }
    }
}

/// A schema that contradicts itself.
public struct SchemaError: Error, Hashable, Sendable, CustomStringConvertible {
    public let schema: String
    public let faults: [SchemaFault]

    public var description: String {
        "schema \(schema): " + faults.map(\.description).joined(separator: "; ")
    }
}

extension SchemaFault {
    static func all(in schema: Schema) -> [SchemaFault] {
        var faults: [SchemaFault] = []
        var seen: Set<String> = []
        for entity in schema.entities {
            // SQLite compares table names without regard to case.
            if !seen.insert(entity.name.lowercased()).inserted { faults.append(.duplicateEntity(entity.name)) }
            faults += nameFaults(entity.name, in: "schema \(schema.name)")
            guard hasEnd(entity, in: schema) else {
                faults.append(.inheritanceCycle(entity: entity.name))
                continue
            }
            if let parent = entity.superentity, schema.entity(named: parent) == nil {
                faults.append(.unknownSuperentity(parent, entity: entity.name))
            }
            faults += propertyFaults(of: entity, in: schema)
            faults += relationshipFaults(of: entity, in: schema)
            faults += constraintFaults(of: entity, in: schema)
        }
        return faults
    }

    private static func nameFaults(_ name: String, in place: String) -> [SchemaFault] {
        if name.isEmpty { return [.emptyName(in: place)] }
        return name.hasPrefix("_") ? [.reservedName(name, in: place)] : []
    }

    private static func hasEnd(_ entity: Entity, in schema: Schema) -> Bool {
        schema.lineage(of: entity).count <= schema.entities.count
    }

    private static func propertyFaults(of entity: Entity, in schema: Schema) -> [SchemaFault] {
        var faults: [SchemaFault] = []
        var seen: Set<String> = []
        let all = schema.attributes(of: entity).map(\.name) + schema.relationships(of: entity).map(\.name)
        for name in all where !seen.insert(name.lowercased()).inserted {
            faults.append(.duplicateProperty(name, entity: entity.name))
        }
        for name in entity.attributes.map(\.name) + entity.relationships.map(\.name) { faults += nameFaults(name, in: entity.name) }
        for attribute in entity.attributes {
            if let value = attribute.defaultValue, !value.fits(attribute.type) {
                faults.append(.defaultDoesNotFit(attribute: attribute.name, entity: entity.name))
            }
        }
        return faults
    }

    private static func relationshipFaults(of entity: Entity, in schema: Schema) -> [SchemaFault] {
        entity.relationships.compactMap { relationship in
            guard schema.entity(named: relationship.destination) != nil else {
                return .unknownDestination(relationship.destination, relationship: relationship.name, entity: entity.name)
            }
            guard let name = relationship.inverse else { return nil }
            guard let inverse = schema.inverse(of: relationship) else {
                return .inverseMissing(name, relationship: relationship.name, entity: entity.name)
            }
            let pointsBack = schema.entity(named: inverse.destination).map { schema.lineage(of: $0) + schema.family(of: $0) } ?? []
            guard inverse.inverse == relationship.name, pointsBack.contains(where: { $0.name == entity.name }) else {
                return .inverseDisagrees(relationship: relationship.name, entity: entity.name)
            }
            return nil
        }
    }

    private static func constraintFaults(of entity: Entity, in schema: Schema) -> [SchemaFault] {
        let attributes = schema.attributes(of: entity)
        let relationships = schema.relationships(of: entity)
        var faults: [SchemaFault] = []
        for (place, names) in entity.uniqueness.map({ ("unique", $0) }) + entity.indices.map({ ("index", $0) }) {
            for name in names {
                if relationships.contains(where: { $0.name == name && $0.isToMany }) {
                    faults.append(.toManyInConstraint(name, entity: entity.name))
                } else if !attributes.contains(where: { $0.name == name }), !relationships.contains(where: { $0.name == name }) {
                    faults.append(.unknownProperty(name, usedIn: place, entity: entity.name))
                }
            }
        }
        for name in entity.identity {
            guard let attribute = attributes.first(where: { $0.name == name }) else {
                faults.append(.unknownProperty(name, usedIn: "identity", entity: entity.name))
                continue
            }
            if attribute.isOptional { faults.append(.optionalIdentity(name, entity: entity.name)) }
        }
        return faults
    }
}
