import SluiceSQLite
package import SluiceSchema

/// Why the store refused, and what to do next. Texts carry entity and property names, record names and counts, never values.
package enum StoreError: Error, Sendable {
    case notAStore(path: String)
    case formatIsNewer(path: String, format: Int)
    /// The file holds another shape than the one asked for.
    case schemaMismatch(path: String, difference: String)
    case ownedByAnother(path: String, owner: String)
    case unknownEntity(String)
    case abstractEntity(String)
    case unknownProperty(String, entity: String)
    case wrongType(property: String, entity: String)
    case missingValue(property: String, entity: String)
    case missingReference(relationship: String, entity: String, target: RecordName)
    case wrongDestination(relationship: String, entity: String, target: RecordName)
    case nameInUse(RecordName, entity: String)
    case identityMismatch(RecordName, entity: String)
    case noSuchRecord(RecordName)
    case uniqueConflict(entity: String, properties: [String])
    case deletionDenied(entity: String, relationship: String, name: RecordName)
    case damaged(path: String, faults: [String])
}

extension StoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notAStore(let path): "\(path) is a database, but not a store of Sluice's: name another file"
        case .formatIsNewer(let path, let format): "\(path) was written by a newer Sluice (format \(format)): update this program"
        case .schemaMismatch(let path, let difference): "\(path) holds another schema: \(difference). It was left as it is"
        case .ownedByAnother(let path, let owner): "\(path) belongs to \(owner): use another path, or that account's name"
        case .unknownEntity(let name): "there is no entity \(name) in the schema"
        case .abstractEntity(let name): "entity \(name) is abstract: name one of its subentities"
        case .unknownProperty(let name, let entity): "entity \(entity) has no property \(name)"
        case .wrongType(let property, let entity): "the value of \(entity).\(property) is of another type, or out of its range"
        case .missingValue(let property, let entity): "\(entity).\(property) is required and has no default: give it a value"
        case .missingReference(let relationship, let entity, let target):
            "\(entity).\(relationship): there is no record \(target) to refer to"
        case .wrongDestination(let relationship, let entity, let target):
            "\(entity).\(relationship): record \(target) is of another entity than the relationship's destination"
        case .nameInUse(let name, let entity): "record name \(name) is taken by an entity other than \(entity)"
        case .identityMismatch(let name, let entity): "record name \(name) does not follow from the identity attributes of \(entity)"
        case .noSuchRecord(let name): "there is no record \(name)"
        case .uniqueConflict(let entity, let properties):
            "another record of \(entity) has the same \(properties.joined(separator: " and "))"
        case .deletionDenied(let entity, let relationship, let name):
            "record \(name) of \(entity) is not deleted while its \(relationship) is not empty"
        case .damaged(let path, let faults): "\(path) is damaged (\(faults.first ?? "unknown")): restore a backup; nothing was changed"
        }
    }
}
