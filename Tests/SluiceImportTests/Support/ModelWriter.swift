import CPlist
import CZlib
import Foundation

/// Writes a keyed archive of a managed object model as Core Data does, for crafted files.
final class ModelWriter {
    struct Property {
        var name: String
        var type: Int?
        var destination: String?
        var inverse: String?
        var isToMany = false
        var isOptional = true
        var isTransient = false
        var flags: UInt64 = 0
        var deleteRule: UInt64 = 1
        var minimum: UInt64 = 0
        var defaultValue: (() -> plist_t?)?
        var elements: [Property] = []
        /// Swift's name of an enumeration that became a composite, in its user info.
        var enumType: String?

        static func attribute(_ name: String, _ type: Int, optional: Bool = true, flags: UInt64 = 0) -> Property {
            Property(name: name, type: type, isOptional: optional, flags: flags)
        }

        static func toOne(_ name: String, _ destination: String, inverse: String? = nil, optional: Bool = true) -> Property {
            Property(name: name, destination: destination, inverse: inverse, isOptional: optional)
        }

        static func toMany(_ name: String, _ destination: String, inverse: String? = nil, minimum: UInt64 = 0) -> Property {
            Property(name: name, destination: destination, inverse: inverse, isToMany: true, minimum: minimum)
        }
    }

    struct Entity {
        var name: String
        var parent: String?
        var isAbstract = false
        var properties: [Property]
        var unique: [[String]] = []
    }

    private var objects: [plist_t?] = [plist_new_string("$null")]
    private var classes: [String: UInt64] = [:]
    private var entityPositions: [String: UInt64] = [:]
    private let entities: [Entity]

    /// Set for a hostile model: an entity then repeats nothing of what it inherits.
    private let ignoresInheritance: Bool

    init(_ entities: [Entity], ignoringInheritance: Bool = false) {
        self.entities = entities
        ignoresInheritance = ignoringInheritance
    }

    /// The content of Z_MODELCACHE.
    func content() -> Data { Self.deflate(archive()) }

    private func archive() -> Data {
        for entity in entities { entityPositions[entity.name] = reserve() }
        for entity in entities { write(entity) }
        let values = entities.map { uid(entityPositions[$0.name] ?? 0) }
        let model = object(
            "NSManagedObjectModel",
            [
                "NSEntities": uid(dictionary(keys: entities.map { uid(string($0.name)) }, values: values)),
                "NSVersionIdentifiers": uid(array([uid(string("2.1.0"))], as: "NSSet")),
            ])
        let root = plist_new_dict()
        plist_dict_set_item(root, "$archiver", plist_new_string("NSKeyedArchiver"))
        plist_dict_set_item(root, "$version", plist_new_uint(100_000))
        let top = plist_new_dict()
        plist_dict_set_item(top, "root", uid(model))
        plist_dict_set_item(root, "$top", top)
        let list = plist_new_array()
        for object in objects { plist_array_append_item(list, object) }
        plist_dict_set_item(root, "$objects", list)
        return Self.binary(root)
    }

    private func write(_ entity: Entity) {
        let chain = lineage(entity)
        let all = chain.reversed().flatMap { owner in owner.properties.map { ($0, owner.name) } }
        var fields: [String: plist_t?] = [
            "NSEntityName": uid(string(entity.name)),
            "NSProperties": uid(
                dictionary(keys: all.map { uid(string($0.0.name)) }, values: all.map { uid(write($0.0, of: entity.name)) })),
            "NSSuperentity": uid(entity.parent.flatMap { entityPositions[$0] } ?? 0),
            "NSUniqueTuples": uid(array(entity.unique.map { tuple in uid(array(tuple.map { uid(string($0)) })) })),
        ]
        if entity.isAbstract { fields["NSIsAbstract"] = plist_new_bool(1) }
        objects[Int(entityPositions[entity.name] ?? 0)] = body("NSEntityDescription", fields)
    }

    private func lineage(_ entity: Entity) -> [Entity] {
        guard !ignoresInheritance, let parent = entities.first(where: { $0.name == entity.parent }) else { return [entity] }
        return [entity] + lineage(parent)
    }

    private func write(_ property: Property, of entity: String) -> UInt64 {
        var fields: [String: plist_t?] = ["NSPropertyName": uid(string(property.name))]
        if property.isOptional { fields["NSIsOptional"] = plist_new_bool(1) }
        if property.isTransient { fields["NSIsTransient"] = plist_new_bool(1) }
        guard let destination = property.destination else {
            fields["NSAttributeType"] = plist_new_uint(UInt64(property.type ?? 0))
            fields["NSFlagsKey"] = plist_new_uint(property.flags)
            fields["NSDefaultValue"] = uid(0)
            if let value = property.defaultValue { fields["NSDefaultValue"] = value() }
            if let type = property.enumType {
                fields["NSUserInfo"] = uid(dictionary(keys: [uid(string("EnumType"))], values: [uid(string(type))]))
            }
            guard !property.elements.isEmpty else { return object("NSAttributeDescription", fields) }
            fields["NSCompositeElements"] = uid(array(property.elements.map { uid(write($0, of: entity)) }))
            return object("NSCompositeAttributeDescription", fields)
        }
        fields["_NSDestinationEntityName"] = uid(string(destination))
        fields["_NSInverseRelationshipName"] = uid(property.inverse.map { string($0) } ?? 0)
        fields["NSDeleteRule"] = plist_new_uint(property.deleteRule)
        fields["NSMaxCount"] = plist_new_uint(property.isToMany ? 0 : 1)
        fields["NSMinCount"] = plist_new_uint(property.minimum)
        return object("NSRelationshipDescription", fields)
    }

    // MARK: The archive's objects

    func uid(_ position: UInt64) -> plist_t? { plist_new_uid(position) }

    private func reserve() -> UInt64 {
        objects.append(nil)
        return UInt64(objects.count - 1)
    }

    private func add(_ object: plist_t?) -> UInt64 {
        objects.append(object)
        return UInt64(objects.count - 1)
    }

    func string(_ text: String) -> UInt64 { add(plist_new_string(text)) }

    func object(_ name: String, _ fields: [String: plist_t?]) -> UInt64 { add(body(name, fields)) }

    private func body(_ name: String, _ fields: [String: plist_t?]) -> plist_t? {
        let type =
            classes[name]
            ?? {
                let description = plist_new_dict()
                plist_dict_set_item(description, "$classname", plist_new_string(name))
                let position = add(description)
                classes[name] = position
                return position
            }()
        let body = plist_new_dict()
        plist_dict_set_item(body, "$class", uid(type))
        for (key, value) in fields { plist_dict_set_item(body, key, value) }
        return body
    }

    private func array(_ members: [plist_t?], as name: String = "NSArray") -> UInt64 {
        let list = plist_new_array()
        for member in members { plist_array_append_item(list, member) }
        return object(name, ["NS.objects": list])
    }

    private func dictionary(keys: [plist_t?], values: [plist_t?]) -> UInt64 {
        let (keyList, valueList) = (plist_new_array(), plist_new_array())
        for key in keys { plist_array_append_item(keyList, key) }
        for value in values { plist_array_append_item(valueList, value) }
        return object("NSDictionary", ["NS.keys": keyList, "NS.objects": valueList])
    }

    static func binary(_ root: plist_t?) -> Data {
        var bytes: UnsafeMutablePointer<CChar>?
        var count: UInt32 = 0
        plist_to_bin(root, &bytes, &count)
        defer {
            plist_to_bin_free(bytes)
            plist_free(root)
        }
        return bytes.map { Data(bytes: $0, count: Int(count)) } ?? Data()
    }

    /// Raw DEFLATE.
    static func deflate(_ input: Data) -> Data {
        var stream = z_stream()
        deflateInit2_(
            &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        defer { deflateEnd(&stream) }
        var input = [UInt8](input)
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(input.count))) + 64)
        let count = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                CZlib.deflate(&stream, Z_FINISH)
                return Int(stream.total_out)
            }
        }
        return Data(output.prefix(count))
    }
}
