import Glibc
package import SluiceSchema

/// What went wrong while a group container was made or filled, with which thing, and what to do next.
package enum GroupError: Error, Sendable {
    case notADirectory(path: String)
    /// A link or a device where a file of the container should be.
    case notAFile(path: String)
    case ownedByAnother(path: String, user: UInt32)
    case unknownUnixGroup(String)
    /// Only a member of the group, or root, may give a directory to it.
    case cannotSetUnixGroup(String, path: String)
    case system(operation: String, path: String, errno: Int32)
    case projectedTwice(entity: String)
    case limitNotPositive(Int, entity: String)
    /// A projection names something that the schema does not have, or asks what the store cannot answer.
    case projection(entity: String, FilterError)
    case derivedNameTaken(String, entity: String)
    case schema(SchemaError)

    /// The failure of the system call that just returned.
    static func last(_ operation: String, _ path: String) -> GroupError { .system(operation: operation, path: path, errno: Glibc.errno) }
}

extension GroupError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notADirectory(let path): "\(path) is no directory: name another place for the group container, or remove it"
        case .notAFile(let path): "\(path) is neither a file nor a folder: remove it"
        case .ownedByAnother(let path, let user): "\(path) belongs to user \(user): a group container belongs to the coordinator's user"
        case .unknownUnixGroup(let name): "there is no unix group \(name): create it, or correct unixGroup"
        case .cannotSetUnixGroup(let name, let path):
            "\(path) cannot be given to unix group \(name): make the coordinator's user a member of it"
        case .system(let operation, let path, let errno): "\(path): \(operation) failed: \(String(cString: strerror(errno)))"
        case .projectedTwice(let entity): "entity \(entity) has two projections: keep one"
        case .limitNotPositive(let limit, let entity): "projection of \(entity): a limit of \(limit) keeps nothing: leave the entity out"
        case .projection(let entity, let error): "projection of \(entity): \(error)"
        case .derivedNameTaken(let name, let entity):
            "projection of \(entity): \(name) is the name of a property, or of another derived field: choose another"
        case .schema(let error): "the projected schema: \(error)"
        }
    }
}
