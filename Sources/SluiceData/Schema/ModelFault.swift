/// One thing that is wrong with a set of model classes, and what to write instead.
enum ModelFault: Hashable, Sendable {
    case duplicateEntity(String, String, String)
    case unresolvedConstraint(String, entity: String)
    case unsupportedType(String, attribute: String, entity: String)
    case unknownDestination(String, relationship: String, entity: String)
    case inverseOfAnotherModel(String, relationship: String, entity: String, destination: String)
    case inverseIsNoRelationship(String, relationship: String, entity: String, destination: String)
    case inverseLeadsElsewhere(String, relationship: String, entity: String, destination: String, found: String)
    case inverseDisagrees(String, relationship: String, entity: String, destination: String)
    case inverseTaken(String, relationship: String, entity: String, destination: String, by: String)
    case toManyInConstraint(String, entity: String)
    case ephemeralInConstraint(String, entity: String)
    case relationshipOnValue(String, entity: String)
    case orderedToOne(String, entity: String)
    case impossibleCounts(String, entity: String)
    case unknownPropertyKind(String, entity: String)
}

extension ModelFault: CustomStringConvertible {
    var description: String {
        switch self {
        case .duplicateEntity(let name, let first, let second):
            "two classes make an entity \(name): \(first) and \(second); rename one, or give only one of them to this schema"
        case .unresolvedConstraint(let keyPath, let entity):
            "\(entity): #Unique or #Index names \(keyPath), which is no stored property of the class; name a property that the store has"
        case .unsupportedType(let type, let attribute, let entity):
            "\(entity).\(attribute): \(type) cannot be stored; make it Codable, write @Attribute(.transformable(by:)) or @Transient"
        case .unknownDestination(let name, let relationship, let entity):
            "\(entity).\(relationship): the schema has no entity \(name); add it"
        case .unknownPropertyKind(let name, let entity): "\(entity).\(name) is neither an attribute nor a relationship"
        case .toManyInConstraint(let name, let entity):
            "\(entity).\(name) is a relationship to many and cannot be unique or indexed; leave it out of the constraint"
        case .ephemeralInConstraint(let name, let entity):
            "\(entity).\(name) is ephemeral and cannot be unique or indexed; leave it out of the constraint, or store it"
        case .relationshipOnValue(let name, let entity):
            "\(entity).\(name) holds no model, so that @Relationship says nothing about it; write @Attribute"
        case .orderedToOne(let name, let entity): "\(entity).\(name) is a relationship to one and has no order; remove .ordered"
        case .impossibleCounts(let name, let entity):
            "\(entity).\(name): no number of models lies between its minimum and maximum; 0 means no limit"
        default: inverseDescription
        }
    }

    private var inverseDescription: String {
        switch self {
        case .inverseOfAnotherModel(let keyPath, let relationship, let entity, let destination):
            "\(entity).\(relationship): its inverse \(keyPath) is no property of \(destination), its destination; write \\\(destination).…"
        case .inverseIsNoRelationship(let name, let relationship, let entity, let destination):
            "\(entity).\(relationship): its inverse \(destination).\(name) is no relationship; name one that leads to \(entity)"
        case .inverseLeadsElsewhere(let name, let relationship, let entity, let destination, let found):
            "\(entity).\(relationship): its inverse \(destination).\(name) leads to \(found); name one that leads to \(entity)"
        case .inverseDisagrees(let name, let relationship, let entity, let destination):
            "\(entity).\(relationship): \(destination).\(name) names another inverse; write inverse: on one side only"
        case .inverseTaken(let name, let relationship, let entity, let destination, let other):
            "\(entity).\(relationship): \(destination).\(name) is the inverse of \(other) already; give each an inverse of its own"
        default: ""
        }
    }
}

extension SwiftDataError {
    /// All faults at once.
    static func invalidSchema(_ faults: [some CustomStringConvertible]) -> SwiftDataError {
        .invalidSchema.because(faults.map(\.description).joined(separator: "; "))
    }
}
