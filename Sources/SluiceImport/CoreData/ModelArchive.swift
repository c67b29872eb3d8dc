// Reads `Z_MODELCACHE.Z_CONTENT`: raw DEFLATE of a keyed archive whose root is an NSManagedObjectModel. Everything is bounded, because
// the file
// may come from anywhere.

import Foundation
import SluiceSchema

/// The decoder of an archived model.
struct ModelArchive {
    static let byteCountMax = 64 << 20
    static let entityCountMax = 2_000
    static let inheritanceLevelMax = 64
    static let propertyCountMax = 100_000
    static let compositeLevelMax = 8

    private let archive: KeyedArchive
    private var propertyCount = 0

    static func decode(_ content: Data) throws(ModelFault) -> ManagedModel {
        let bytes = try RawDeflate.inflate(content, byteCountMax: byteCountMax)
        var decoder = ModelArchive(archive: try KeyedArchive(try PropertyList(binary: bytes)))
        return try decoder.model()
    }

    private init(archive: KeyedArchive) { self.archive = archive }

    private mutating func model() throws(ModelFault) -> ManagedModel {
        let root = try archive.root()
        guard let entries = archive.entries("NSEntities", of: root) else { throw .missing(key: "NSEntities", in: root.className) }
        guard entries.count <= Self.entityCountMax else { throw .tooMany(things: "entities", countMax: Self.entityCountMax) }
        var entities: [ManagedEntity] = []
        for entry in entries {
            guard let object = archive.object(entry.value) else { throw .wrongType(key: entry.key, in: "NSEntities") }
            entities.append(try entity(object))
        }
        entities.sort { $0.name < $1.name }
        var model = ManagedModel(origin: .modelCache, entities: entities)
        model.versionIdentifiers = archive.members("NSVersionIdentifiers", of: root).compactMap { archive.string($0) }.sorted()
        for entity in model.entities where try ancestors(of: entity, in: model).contains(entity.name) {
            throw .inheritanceCycle(entity: entity.name)
        }
        return model
    }

    private func ancestors(of entity: ManagedEntity, in model: ManagedModel) throws(ModelFault) -> Set<String> {
        var seen: Set<String> = []
        var next = entity.superentity
        while let name = next {
            guard seen.insert(name).inserted else { throw .inheritanceCycle(entity: name) }
            guard seen.count <= Self.inheritanceLevelMax else { throw .tooDeep(levelMax: Self.inheritanceLevelMax) }
            guard let parent = model.entity(named: name) else { throw .missing(key: name, in: "NSEntities") }
            next = parent.superentity
        }
        return seen
    }

    // MARK: Entities

    private mutating func entity(_ object: KeyedArchive.Object) throws(ModelFault) -> ManagedEntity {
        guard let name = archive.string("NSEntityName", of: object) else { throw .missing(key: "NSEntityName", in: object.className) }
        var entity = ManagedEntity(name: name)
        let parent = archive.object("NSSuperentity", of: object)
        entity.superentity = parent.flatMap { archive.string("NSEntityName", of: $0) }
        entity.isAbstract = archive.flag("NSIsAbstract", of: object)
        entity.renamingIdentifier = archive.string("NSRenamingIdentifier", of: object)

        // An archived entity repeats what it inherits.
        let inherited = parent.flatMap { archive.entries("NSProperties", of: $0) } ?? []
        let inheritedByName = Dictionary(inherited.map { ($0.key, $0.value) }) { first, _ in first }
        for entry in (archive.entries("NSProperties", of: object) ?? []).sorted(by: { $0.key < $1.key }) {
            propertyCount += 1
            guard propertyCount <= Self.propertyCountMax else { throw .tooMany(things: "properties", countMax: Self.propertyCountMax) }
            guard let property = archive.object(entry.value) else { throw .wrongType(key: entry.key, in: name) }
            if let original = archive.object(inheritedByName[entry.key]) {
                if describesOtherwise(property, than: original) { entity.overrides.append(entry.key) }
            } else {
                try add(property, named: entry.key, to: &entity)
            }
        }
        let parentTuples = parent.map { tuples(of: $0) } ?? []
        entity.uniqueTuples = tuples(of: object).filter { !parentTuples.contains($0) }
        entity.indices = archive.members("NSFetchIndexDescriptions", of: object).compactMap { index in
            guard let index = archive.object(index) else { return nil }
            let names = archive.members("NSIndexElements", of: index).compactMap { element in
                archive.object(element).flatMap { archive.string("NSPropertyName", of: $0) }
            }
            return names.isEmpty ? nil : names
        }
        return entity
    }

    private func tuples(of object: KeyedArchive.Object) -> [[String]] {
        archive.members("NSUniqueTuples", of: object).map { tuple in
            archive.members(tuple).compactMap { element in
                archive.string(element) ?? archive.object(element).flatMap { archive.string("NSPropertyName", of: $0) }
            }
        }.filter { !$0.isEmpty }
    }

    private func describesOtherwise(_ property: KeyedArchive.Object, than original: KeyedArchive.Object) -> Bool {
        ["NSIsOptional", "NSIsTransient"].contains { archive.flag($0, of: property) != archive.flag($0, of: original) }
            || ["NSAttributeType", "NSMaxCount", "NSMinCount", "NSDeleteRule"].contains {
                archive.integer($0, of: property) != archive.integer($0, of: original)
            }
    }

    // MARK: Properties

    private func add(_ object: KeyedArchive.Object, named name: String, to entity: inout ManagedEntity) throws(ModelFault) {
        if object.className.contains("Relationship") {
            entity.relationships.append(try relationship(object, named: name, of: entity.name))
        } else if object.className.contains("FetchedProperty") {
            entity.fetchedProperties.append(name)
        } else {
            entity.attributes.append(try attribute(object, named: name, of: entity.name, level: 1))
        }
    }

    private func relationship(
        _ object: KeyedArchive.Object, named name: String, of entity: String
    ) throws(ModelFault) -> ManagedRelationship {
        let destination =
            archive.string("_NSDestinationEntityName", of: object)
            ?? archive.object("NSDestinationEntity", of: object).flatMap { archive.string("NSEntityName", of: $0) }
        guard let destination else { throw .missing(key: "_NSDestinationEntityName", in: "\(entity).\(name)") }
        var relationship = ManagedRelationship(name: name, destination: destination)
        relationship.inverse =
            archive.string("_NSInverseRelationshipName", of: object)
            ?? archive.object("NSInverseRelationship", of: object).flatMap { archive.string("NSPropertyName", of: $0) }
        // NSDeleteRule: NSNoActionDeleteRule 0, NSNullifyDeleteRule 1, NSCascadeDeleteRule 2, NSDenyDeleteRule 3.
        let rules: [DeleteRule] = [.noAction, .nullify, .cascade, .deny]
        let rule = archive.integer("NSDeleteRule", of: object) ?? 1
        relationship.deleteRule = rules.indices.contains(rule) ? rules[rule] : .nullify
        relationship.isOptional = archive.flag("NSIsOptional", of: object)
        relationship.isTransient = archive.flag("NSIsTransient", of: object)
        relationship.isOrdered = ["NSIsOrdered", "NSOrdered", "_NSIsOrdered"].contains { archive.flag($0, of: object) }
        let maximum = archive.integer("NSMaxCount", of: object) ?? 0
        relationship.isToMany = maximum != 1
        if relationship.isToMany {
            relationship.minimumCount = max(0, archive.integer("NSMinCount", of: object) ?? 0)
            relationship.maximumCount = max(0, maximum)
        }
        relationship.renamingIdentifier = archive.string("NSRenamingIdentifier", of: object)
        return relationship
    }

    private func attribute(
        _ object: KeyedArchive.Object, named name: String, of entity: String, level: Int
    ) throws(ModelFault) -> ManagedAttribute {
        guard level <= Self.compositeLevelMax else { throw .tooDeep(levelMax: Self.compositeLevelMax) }
        guard let typeCode = archive.integer("NSAttributeType", of: object) else {
            throw .missing(key: "NSAttributeType", in: "\(entity).\(name)")
        }
        var attribute = ManagedAttribute(name: name, typeCode: typeCode)
        attribute.isOptional = archive.flag("NSIsOptional", of: object)
        attribute.isTransient = archive.flag("NSIsTransient", of: object)
        attribute.isDerived = object.className.contains("Derived")
        attribute.renamingIdentifier = archive.string("NSRenamingIdentifier", of: object)
        attribute.hashModifier = archive.string("NSVersionHashModifier", of: object)
        attribute.transformer = archive.string("NSValueTransformerName", of: object)
        // Bit 2 of the flags: stored in files; bit 4: kept in history after deletion (seen on the synced keys of a real store).
        let flags = archive.integer("NSFlagsKey", of: object) ?? 0
        attribute.isExternal = flags & 4 != 0
        attribute.isPreservedOnDeletion = flags & 16 != 0
        attribute.enumType = archive.entries("NSUserInfo", of: object)?.first { $0.key == "EnumType" }.map { archive.string($0.value) ?? "" }
        for element in archive.members("NSCompositeElements", of: object) {
            guard let element = archive.object(element), let member = archive.string("NSPropertyName", of: element) else {
                throw .wrongType(key: "NSCompositeElements", in: "\(entity).\(name)")
            }
            attribute.elements.append(try self.attribute(element, named: member, of: "\(entity).\(name)", level: level + 1))
        }
        if let stored = archive.field("NSDefaultValue", of: object), let type = AttributeType(coreData: typeCode) {
            attribute.defaultValue = defaultValue(stored, archive.object("NSDefaultValue", of: object), type)
            attribute.hasUnreadableDefault = attribute.defaultValue == nil
        }
        return attribute
    }

    private func defaultValue(_ value: PropertyList, _ object: KeyedArchive.Object?, _ type: AttributeType) -> PropertyValue? {
        if let object { return archivedDefault(object, type) }
        switch (value, type) {
        case (.string(let text), .string), (.string(let text), .url): return .string(text)
        case (.boolean(let flag), .boolean): return .boolean(flag)
        case (.integer(let number), .boolean): return .boolean(number != 0)
        case (.boolean(let flag), _) where type.isInteger: return .integer(flag ? 1 : 0)
        case (.integer(let number), _) where type.isInteger:
            return PropertyValue.integer(number).fits(type) ? .integer(number) : nil
        case (.real(let number), _) where type.isInteger:
            guard let integer = Int64(exactly: number), PropertyValue.integer(integer).fits(type) else { return nil }
            return .integer(integer)
        case (.integer(let number), .double), (.integer(let number), .float): return .double(Double(number))
        case (.real(let number), .double), (.real(let number), .float): return .double(number)
        case (.integer(let number), .decimal): return .decimal(Decimal(number))
        case (.real(let number), .decimal): return Decimal(string: "\(number)").map(PropertyValue.decimal)
        case (.date(let seconds), .date): return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case (.data(let bytes), .data): return .data(bytes)
        default: return nil
        }
    }

    private func archivedDefault(_ object: KeyedArchive.Object, _ type: AttributeType) -> PropertyValue? {
        switch (object.className, type) {
        case ("NSDate", .date):
            switch archive.field("NS.time", of: object) {
            case .real(let seconds)?: return .date(Date(timeIntervalSinceReferenceDate: seconds))
            case .integer(let seconds)?: return .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
            default: return nil
            }
        case ("NSUUID", .uuid):
            guard case .data(let bytes)? = archive.field("NS.uuidbytes", of: object) else { return nil }
            return UUID(bytes: bytes).map(PropertyValue.uuid)
        case ("NSURL", .url): return archive.string("NS.relative", of: object).map(PropertyValue.string)
        case ("NSString", .string), ("NSMutableString", .string): return archive.string("NS.string", of: object).map(PropertyValue.string)
        case ("NSData", .data), ("NSMutableData", .data):
            guard case .data(let bytes)? = archive.field("NS.data", of: object) else { return nil }
            return .data(bytes)
        case ("NSDecimalNumber", .decimal): return decimal(object).map(PropertyValue.decimal)
        default: return nil
        }
    }

    /// Mantissa in 16-bit words of the stated byte order, least significant word first.
    private func decimal(_ object: KeyedArchive.Object) -> Decimal? {
        guard case .data(let mantissa)? = archive.field("NS.mantissa", of: object), mantissa.count <= 16, mantissa.count % 2 == 0,
            let exponent = archive.integer("NS.exponent", of: object), (-128...127).contains(exponent)
        else { return nil }
        let isBigEndian = archive.integer("NS.mantissa.bo", of: object) == 2
        var value = Decimal(0)
        let bytes = [UInt8](mantissa)
        for index in stride(from: bytes.count - 2, through: 0, by: -2) {
            let word = isBigEndian ? Int(bytes[index]) << 8 | Int(bytes[index + 1]) : Int(bytes[index + 1]) << 8 | Int(bytes[index])
            value = value * 65_536 + Decimal(word)
        }
        let scaled = Decimal(sign: .plus, exponent: exponent, significand: value)
        return archive.flag("NS.negative", of: object) ? -scaled : scaled
    }
}

extension AttributeType {
    /// NSAttributeType's numbers; nil for composites, undefined types and numbers of the future.
    init?(coreData code: Int) {
        let types: [Int: AttributeType] = [
            100: .int16, 200: .int32, 300: .int64, 400: .decimal, 500: .double, 600: .float, 700: .string, 800: .boolean, 900: .date,
            1000: .data, 1100: .uuid, 1200: .url, 1800: .transformable, 2000: .string,
        ]
        guard let type = types[code] else { return nil }
        self = type
    }
}

extension UUID {
    /// From 16 bytes; nil for any other number.
    init?(bytes: Data) {
        guard bytes.count == 16 else { return nil }
        self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
