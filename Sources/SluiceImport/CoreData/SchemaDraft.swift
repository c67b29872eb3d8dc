import Foundation
import SluiceSQLite
import SluiceSchema

/// Makes our schema from Core Data's model, the file's layout and what the rows really hold. Everything that has no counterpart
/// becomes a note.
struct SchemaDraft {
    let model: ManagedModel
    let layout: FileLayout
    let names: SchemaNames
    let external: Set<FileLayout.Key>
    let survey: Survey
    let identities: Identities
    let uniqueness: UniquenessSurvey
    private(set) var notes: [ImportNote] = []
    /// Final types of integers that rows made wider.
    private(set) var types: [FileLayout.Key: AttributeType] = [:]

    init(
        model: ManagedModel, layout: FileLayout, names: SchemaNames, external: Set<FileLayout.Key>, survey: Survey,
        identities: Identities, uniqueness: UniquenessSurvey
    ) {
        self.model = model
        self.layout = layout
        self.names = names
        self.external = external
        self.survey = survey
        self.identities = identities
        self.uniqueness = uniqueness
    }

    mutating func schema(named name: String) throws -> Schema {
        let version = model.versionIdentifiers.compactMap { SchemaVersion($0) }.max() ?? SchemaVersion(1, 0, 0)
        let entities = try model.entities.map { try entity($0) }
        return try Schema(name: name, version: version, validating: dropUnsoundInverses(entities, name: name, version: version))
    }

    private func name(_ entity: String) -> String { names.entities[entity] ?? entity }
    private func path(_ key: FileLayout.Key) -> String { "\(name(key.entity)).\(names[key])" }

    /// Whether the file has no table for the entity: a model may spread its entities over several files (configurations). What the model says
    /// of it holds all the same, so that another file of the set finds its place.
    private func isElsewhere(_ entity: String) -> Bool { layout.table(of: entity, in: model) == nil }

    private mutating func entity(_ source: ManagedEntity) throws -> Entity {
        if source.superentity == nil, isElsewhere(source.name) { notes.append(.elsewhere(entity: name(source.name))) }
        var entity = Entity(name(source.name), superentity: source.superentity.map(name))
        let rows = survey.rowCounts[source.name] ?? 0
        entity.isAbstract = source.isAbstract && rows == 0
        if source.isAbstract && rows > 0 { notes.append(.madeConcrete(entity: entity.name, rowCount: rows)) }
        notes += source.fetchedProperties.map { .fetchedProperty(property: "\(entity.name).\($0)") }
        notes += source.overrides.map { .overrideIgnored(property: "\(entity.name).\($0)") }
        for attribute in source.attributes {
            let leaves = attribute.leaves()
            if !attribute.elements.isEmpty {
                let members = leaves.map { names[.init(entity: source.name, path: $0.path)] }
                let property = "\(entity.name).\(attribute.name)"
                notes.append(
                    attribute.enumType.map { .enumeration(property: property, type: $0, cases: members) }
                        ?? .compositeFlattened(property: property, members: members))
            }
            entity.attributes += leaves.compactMap { self.attribute($0.leaf, key: .init(entity: source.name, path: $0.path)) }
        }
        for relationship in source.relationships {
            if let made = try self.relationship(relationship, of: source) { entity.relationships.append(made) }
        }
        let identity = identities.chosen.first { $0.entity == source.name }
        if let identity {
            entity.identity = [names[identity.attribute]]
            notes.append(.identity(entity: entity.name, attribute: names[identity.attribute]))
        }
        entity.uniqueness = try constraints(of: source)
        entity.indices = indices(of: source)
        return entity
    }

    // MARK: Attributes

    private mutating func attribute(_ leaf: ManagedAttribute, key: FileLayout.Key) -> Attribute? {
        let property = path(key)
        if leaf.isTransient {
            notes.append(.transient(property: property))
            return nil
        }
        let column = layout.attributes[key]
        if column == nil, !isElsewhere(key.entity) {
            notes.append(.noPlaceInFile(property: property))
            return nil
        }
        var type = AttributeType(coreData: leaf.typeCode)
        if type == nil {
            let group = column.flatMap { layout.table(of: key.entity, in: model)?.column($0)?.group }
            let fallback = AttributeType(group: group)
            notes.append(.unknownType(property: property, code: leaf.typeCode, readAs: fallback.rawValue))
            type = fallback
        }
        var attribute = Attribute(names[key], type ?? .data, isOptional: leaf.isOptional)
        attribute.hashModifier = leaf.hashModifier
        attribute.isExternal = external.contains(key) || column == nil && leaf.isExternal && type?.isBytes == true
        attribute.isPreservedOnDeletion = leaf.isPreservedOnDeletion
        noteKind(of: leaf, property: property, key: key)
        if let wide = survey.tooWide[key] {
            attribute.type = .int64
            types[key] = .int64
            notes.append(.widened(property: property, rowCount: wide))
        }
        let empty = survey.empty[key] ?? 0
        if !leaf.isOptional, empty > 0 {
            attribute.isOptional = true
            notes.append(.madeOptional(property: property, rowCount: empty))
        }
        // The mapping may name an attribute that the model calls optional; no row lacks it, or it would have been refused.
        if identities.chosen.contains(where: { $0.attribute == key }) { attribute.isOptional = false }
        attribute.defaultValue = leaf.defaultValue
        if leaf.hasUnreadableDefault { notes.append(.defaultDropped(property: property)) }
        return attribute
    }

    private mutating func noteKind(of leaf: ManagedAttribute, property: String, key: FileLayout.Key) {
        if leaf.isDerived { notes.append(.derived(property: property)) }
        if leaf.typeCode == 1800 {
            let count = survey.valueCounts[key] ?? 0
            notes.append(.transformable(property: property, transformer: leaf.transformer ?? "", valueCount: count))
        }
        if leaf.typeCode == 2000 { notes.append(.objectIdentifier(property: property)) }
    }

    // MARK: Relationships

    private mutating func relationship(_ source: ManagedRelationship, of entity: ManagedEntity) throws -> Relationship? {
        let key = FileLayout.Key(entity: entity.name, path: source.name)
        let property = path(key)
        if source.isTransient {
            notes.append(.transient(property: property))
            return nil
        }
        if layout.missing.contains(key), !isElsewhere(key.entity) { notes.append(.noPlaceInFile(property: property)) }
        var made = Relationship(names[key], to: name(source.destination), isToMany: source.isToMany, deleteRule: source.deleteRule)
        made.isOrdered = source.isToMany && (source.isOrdered || hasPositions(key, source))
        made.isOptional = source.isOptional
        made.inverse = source.inverse.map { inverse in
            let owner = model.lineage(of: source.destination).first { $0.relationships.contains { $0.name == inverse } }
            return owner.map { names[.init(entity: $0.name, path: inverse)] } ?? inverse
        }
        guard source.isToMany else {
            let empty = survey.empty[key] ?? 0
            if !source.isOptional, empty > 0 || layout.references[key] == nil && !isElsewhere(key.entity) {
                made.isOptional = true
                notes.append(.madeOptional(property: property, rowCount: empty))
            }
            return made
        }
        // A to-many without members has no value that could be missing; its least number says whether it may be empty.
        made.isOptional = true
        try limit(&made, source, key)
        return made
    }

    /// Whether the file keeps the members' order, whatever the model says.
    private func hasPositions(_ key: FileLayout.Key, _ source: ManagedRelationship) -> Bool {
        if layout.oneSided.contains(where: { $0.relationship == key && $0.order != nil }) { return true }
        if layout.joins.contains(where: { $0.owner == key && $0.memberOrder != nil }) { return true }
        guard let inverse = source.inverse else { return false }
        let others = model.lineage(of: source.destination).map(\.name)
        if layout.joins.contains(where: { $0.inverse == key.path && $0.ownerOrder != nil && others.contains($0.owner.entity) }) {
            return true
        }
        return others.contains { layout.references[.init(entity: $0, path: inverse)]?.order != nil }
    }

    private mutating func limit(_ made: inout Relationship, _ source: ManagedRelationship, _ key: FileLayout.Key) throws {
        guard source.minimumCount > 0 || source.maximumCount > 0 else { return }
        let broken = try rowsOutsideLimits(source, key)
        if broken == 0 {
            made.minimumCount = source.minimumCount
            made.maximumCount = source.maximumCount
        } else {
            notes.append(.countLimitDropped(relationship: path(key), rowCount: broken))
        }
    }

    private func rowsOutsideLimits(_ source: ManagedRelationship, _ key: FileLayout.Key) throws -> Int {
        guard let owners = layout.table(of: key.entity, in: model) else { return 0 }
        let places = model.lineage(of: source.destination).compactMap { entity in
            source.inverse.flatMap { layout.references[.init(entity: entity.name, path: $0)]?.column }
        }
        var members: (table: String, column: String)?
        if let column = places.first, let table = layout.table(of: source.destination, in: model) { members = (table.name, column) }
        if let join = layout.joins.first(where: { $0.owner == key }) { members = (join.table, join.ownerColumn) }
        if let join = layout.joins.first(where: { $0.inverse == key.path }) { members = (join.table, join.memberColumn) }
        if let found = layout.oneSided.first(where: { $0.relationship == key }) { members = (found.table, found.column) }
        guard let members else { return 0 }
        return try uniqueness.outsideLimits(
            owners.name, model.family(of: key.entity).compactMap { layout.numbers[$0.name] },
            membersSQL: "SELECT count(*) FROM \(SQLText.name(members.table)) WHERE \(SQLText.name(members.column)) = o.Z_PK",
            minimum: source.minimumCount, maximum: source.maximumCount)
    }

    /// Core Data lets a subentity's relationship be the inverse of one that leads to its ancestor; our schema wants both ends to agree.
    private mutating func dropUnsoundInverses(_ entities: [Entity], name: String, version: SchemaVersion) throws -> [Entity] {
        do {
            _ = try Schema(name: name, version: version, validating: entities)
            return entities
        } catch let error {
            var repaired = entities
            for fault in error.faults {
                let (owner, relationship): (String, String)
                switch fault {
                case .inverseMissing(_, let name, let entity), .inverseDisagrees(let name, let entity):
                    (owner, relationship) = (entity, name)
                default: continue
                }
                guard let index = repaired.firstIndex(where: { $0.name == owner }),
                    let position = repaired[index].relationships.firstIndex(where: { $0.name == relationship })
                else { continue }
                let inverse = repaired[index].relationships[position].inverse ?? ""
                notes.append(.inverseDropped(relationship: "\(owner).\(relationship)", inverse: inverse))
                repaired[index].relationships[position].inverse = nil
            }
            // Each round drops at least one inverse, so the rounds end.
            return repaired == entities ? entities : try dropUnsoundInverses(repaired, name: name, version: version)
        }
    }

    // MARK: Constraints and indices

    private mutating func constraints(of entity: ManagedEntity) throws -> [[String]] {
        var kept: [[String]] = []
        for tuple in entity.uniqueTuples {
            guard let keys = self.keys(of: tuple, entity: entity.name) else {
                drop(tuple, of: entity, because: "it names something else than attributes and to-one relationships")
                continue
            }
            guard let table = layout.table(of: entity.name, in: model) else {
                kept.append(keys.map { names[$0] })
                continue
            }
            let columns = keys.compactMap { layout.attributes[$0] ?? layout.references[$0]?.column }
            let numbers = model.family(of: entity.name).compactMap { layout.numbers[$0.name] }
            let duplicates =
                columns.count == keys.count
                ? try uniqueness.duplicateCount(of: columns, in: table.name, entities: numbers) : 0
            if duplicates > 0 {
                drop(tuple, of: entity, because: "\(duplicates) rows share their values with another")
            } else {
                kept.append(keys.map { names[$0] })
            }
        }
        return kept
    }

    private mutating func indices(of entity: ManagedEntity) -> [[String]] {
        var kept: [[String]] = []
        for index in entity.indices {
            guard let keys = keys(of: index, entity: entity.name) else {
                drop(index, of: entity, because: "it names something else than attributes and to-one relationships")
                continue
            }
            let properties = keys.map { names[$0] }
            if !kept.contains(properties) { kept.append(properties) }
        }
        return kept
    }

    private mutating func drop(_ tuple: [String], of entity: ManagedEntity, because reason: String) {
        notes.append(.constraintDropped(entity: name(entity.name), properties: tuple, reason: reason))
    }

    /// Where the named properties are declared; nil where one is no attribute and no to-one of the entity.
    private func keys(of tuple: [String], entity: String) -> [FileLayout.Key]? {
        let keys = tuple.compactMap { name in
            model.lineage(of: entity).first { owner in
                let key = FileLayout.Key(entity: owner.name, path: name)
                if isElsewhere(entity) {
                    return owner.attributes.contains { $0.name == name } || owner.relationships.contains { $0.name == name && !$0.isToMany }
                }
                return layout.attributes[key] != nil || layout.references[key] != nil
            }.map { FileLayout.Key(entity: $0.name, path: name) }
        }
        return keys.count == tuple.count ? keys : nil
    }
}
