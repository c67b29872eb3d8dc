/// Why Core Data's archived model cannot be read.
package enum ModelFault: Error, Hashable, Sendable {
    case notDeflate
    case tooLarge(byteCountMax: Int)
    case notPropertyList
    case tooDeep(levelMax: Int)
    case tooManyObjects(countMax: Int)
    case notKeyedArchive
    case missing(key: String, in: String)
    case wrongType(key: String, in: String)
    case tooMany(things: String, countMax: Int)
    case inheritanceCycle(entity: String)
}

extension ModelFault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notDeflate: "it is not compressed as expected"
        case .tooLarge(let byteCountMax): "it unpacks to more than \(byteCountMax) bytes"
        case .notPropertyList: "it is no binary property list"
        case .tooDeep(let levelMax): "it nests deeper than \(levelMax) levels"
        case .tooManyObjects(let countMax): "it expands to more than \(countMax) objects"
        case .notKeyedArchive: "it is no keyed archive"
        case .missing(let key, let place): "\(place) lacks \(key)"
        case .wrongType(let key, let place): "\(key) of \(place) is of another type"
        case .tooMany(let things, let countMax): "it has more than \(countMax) \(things)"
        case .inheritanceCycle(let entity): "entity \(entity) inherits from itself"
        }
    }
}
