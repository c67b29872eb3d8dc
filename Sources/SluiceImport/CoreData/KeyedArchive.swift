import Foundation

/// The object graph inside an NSKeyedArchiver property list. Objects refer to each other by position and may form cycles, so they are
/// looked up
/// one at a time and never copied as a tree.
struct KeyedArchive {
    /// One archived object: its class and its fields.
    struct Object {
        let className: String
        let position: Int
        fileprivate let fields: [String: PropertyList]
    }

    private let objects: [PropertyList]
    private let top: PropertyList

    init(_ list: PropertyList) throws(ModelFault) {
        guard case .dictionary(let root) = list, case .array(let objects)? = root["$objects"], case .dictionary(let top)? = root["$top"],
            let first = top["root"]
        else { throw .notKeyedArchive }
        self.objects = objects
        self.top = first
    }

    func root() throws(ModelFault) -> Object {
        guard let object = object(top) else { throw .notKeyedArchive }
        return object
    }

    /// A plain value, or what a UID leads to. Nil for a missing value and for the archive's null.
    func value(_ value: PropertyList?) -> PropertyList? {
        guard let value else { return nil }
        guard case .uid(let position) = value else { return value }
        guard objects.indices.contains(position), position > 0 else { return nil }
        return objects[position]
    }

    /// Nil where the value is no archived object.
    func object(_ value: PropertyList?) -> Object? {
        guard case .uid(let position)? = value, objects.indices.contains(position),
            case .dictionary(let fields) = objects[position],
            case .dictionary(let type)? = self.value(fields["$class"]), case .string(let name)? = self.value(type["$classname"])
        else { return nil }
        return Object(className: name, position: position, fields: fields)
    }

    // MARK: Fields of an object

    func object(_ key: String, of object: Object) -> Object? { self.object(object.fields[key]) }
    func field(_ key: String, of object: Object) -> PropertyList? { value(object.fields[key]) }

    func string(_ key: String, of object: Object) -> String? { string(object.fields[key]) }

    func flag(_ key: String, of object: Object) -> Bool {
        switch field(key, of: object) {
        case .boolean(let flag)?: flag
        case .integer(let number)?: number != 0
        default: false
        }
    }

    func integer(_ key: String, of object: Object) -> Int? {
        switch field(key, of: object) {
        case .integer(let number)?: Int(number)
        case .boolean(let flag)?: flag ? 1 : 0
        case .real(let number)?: Int(exactly: number)
        default: nil
        }
    }

    /// A string, archived plainly or as an NSString.
    func string(_ value: PropertyList?) -> String? {
        if case .string(let text)? = self.value(value) { return text }
        guard let object = object(value), case .string(let text)? = field("NS.string", of: object) else { return nil }
        return text
    }

    /// The members of an array or set; empty for nil.
    func members(_ key: String, of object: Object) -> [PropertyList] { members(object.fields[key]) }

    func members(_ value: PropertyList?) -> [PropertyList] {
        guard let object = object(value), case .array(let members)? = object.fields["NS.objects"] else { return [] }
        return members
    }

    /// The entries of a dictionary, plain or with known keys (Core Data's own class, which keeps keys apart); nil where it is none.
    func entries(_ key: String, of object: Object) -> [(key: String, value: PropertyList)]? {
        guard let dictionary = self.object(key, of: object) else { return nil }
        if case .array(let keys)? = dictionary.fields["NS.keys"], case .array(let values)? = dictionary.fields["NS.objects"] {
            return zip(keys, values).compactMap { pair in string(pair.0).map { ($0, pair.1) } }
        }
        guard let mapping = self.object("searchMapping", of: dictionary) else { return nil }
        return zip(members("keys", of: mapping), members("values", of: dictionary)).compactMap { pair in
            // An empty slot holds a token, which is no object.
            guard let name = string(pair.0), self.object(pair.1) != nil else { return nil }
            return (name, pair.1)
        }
    }
}
