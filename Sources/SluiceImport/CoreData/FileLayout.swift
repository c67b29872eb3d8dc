import SluiceSchema

/// Where each property of a model lies in the file: made once from the model and the tables, then read by the schema, the rows and the
/// report.
struct FileLayout {
    struct Key: Hashable {
        let entity: String
        let path: String
    }

    /// A to-one's column, the entity number beside it and the position in the other end's ordered to-many.
    struct Reference {
        let column: String
        var companion: String?
        var order: String?
    }

    /// A many-to-many table. `owner` names the end that gave the table its name.
    struct Join {
        let table: String
        let owner: Key
        let inverse: String?
        let ownerColumn: String
        let memberColumn: String
        /// Positions of members among the owner's, and of owners among a member's.
        var memberOrder: String?
        var ownerOrder: String?
    }

    /// A to-many without inverse: the reference stands in the member's row.
    struct OneSided {
        let relationship: Key
        let table: String
        let column: String
        var order: String?
    }

    private(set) var numbers: [String: Int64] = [:]
    /// By root entity.
    private(set) var tables: [String: FileTables.Table] = [:]
    private(set) var attributes: [Key: String] = [:]
    private(set) var references: [Key: Reference] = [:]
    private(set) var joins: [Join] = []
    private(set) var oneSided: [OneSided] = []
    /// Properties that the model has and the file has no place for.
    private(set) var missing: [Key] = []

    init(_ model: ManagedModel, in file: FileTables) {
        for entity in file.modelEntities { numbers[entity.name] = entity.number }
        for root in model.entities where root.superentity == nil {
            guard let table = file.table("Z" + root.name.uppercased()) else { continue }
            tables[root.name] = table
            assign(model.family(of: root.name), in: table)
        }
        for entity in model.entities {
            for relationship in entity.relationships where relationship.isToMany && !relationship.isTransient {
                place(relationship, of: entity, model, file)
            }
        }
    }

    func table(of entity: String, in model: ManagedModel) -> FileTables.Table? { tables[model.root(of: entity)] }

    // MARK: Columns of one table

    private mutating func assign(_ family: [ManagedEntity], in table: FileTables.Table) {
        var requests: [ColumnAssignment.Request] = []
        for entity in family {
            let number = numbers[entity.name] ?? .max
            for (path, leaf) in entity.attributes.flatMap({ $0.leaves() }) where !leaf.isTransient {
                requests.append(
                    .init(
                        entity: entity.name, entityNumber: number, path: path, name: leaf.name, isReference: false,
                        group: .init(coreData: leaf.typeCode)))
            }
            for relationship in entity.relationships where !relationship.isToMany && !relationship.isTransient {
                requests.append(
                    .init(
                        entity: entity.name, entityNumber: number, path: relationship.name, name: relationship.name, isReference: true,
                        group: .integer))
            }
        }
        let assignment = ColumnAssignment(requests, in: table)
        for (request, column) in assignment.columns {
            let key = Key(entity: request.entity, path: request.path)
            if request.isReference {
                references[key] = Self.reference(column, in: table)
            } else {
                attributes[key] = column
            }
        }
        missing += assignment.missing.map { Key(entity: $0.entity, path: $0.path) }
    }

    private static func reference(_ column: String, in table: FileTables.Table) -> Reference {
        var reference = Reference(column: column)
        let name = String(column.uppercased().dropFirst())
        reference.companion = table.columns.first { ColumnNames.companion($0.name.uppercased())?.name == name }?.name
        reference.order = table.columns.first { ColumnNames.order($0.name.uppercased()) == name }?.name
        return reference
    }

    // MARK: To-many

    private mutating func place(_ relationship: ManagedRelationship, of entity: ManagedEntity, _ model: ManagedModel, _ file: FileTables) {
        let key = Key(entity: entity.name, path: relationship.name)
        let inverse = relationship.inverse.flatMap { name in
            model.lineage(of: relationship.destination).flatMap(\.relationships).first { $0.name == name }
        }
        if let inverse, !inverse.isToMany { return }
        let others = (model.lineage(of: relationship.destination) + model.family(of: relationship.destination)).map(\.name)
        let isPlaced = joins.contains {
            $0.inverse == relationship.name && $0.owner.path == relationship.inverse && others.contains($0.owner.entity)
        }
        if isPlaced { return }
        if let join = findJoin(relationship, inverse, key, model, file) {
            joins.append(join)
        } else if inverse == nil, let found = findOneSided(relationship, key, model) {
            oneSided.append(found)
        } else if inverse == nil || !willBePlaced(relationship, model, file) {
            missing.append(key)
        }
    }

    /// The table is named for one end only; the other end finds it too, with the columns the other way round.
    private func willBePlaced(_ relationship: ManagedRelationship, _ model: ManagedModel, _ file: FileTables) -> Bool {
        guard let name = relationship.inverse else { return false }
        return model.lineage(of: relationship.destination).contains { owner in
            guard let inverse = owner.relationships.first(where: { $0.name == name }) else { return false }
            return findJoin(inverse, relationship, Key(entity: owner.name, path: name), model, file) != nil
        }
    }

    /// A join table `Z_<owner><RELATIONSHIP>`: the column named for a relationship holds that relationship's members.
    private func findJoin(
        _ relationship: ManagedRelationship, _ inverse: ManagedRelationship?, _ key: Key, _ model: ManagedModel, _ file: FileTables
    ) -> Join? {
        let owners = entityNumbers(around: key.entity, model)
        let members = entityNumbers(around: relationship.destination, model)
        for table in file.tables {
            guard let name = ColumnNames.join(table.name.uppercased()), owners.contains(name.number),
                ColumnNames.isNumbered(name.name, form: relationship.name.uppercased())
            else { continue }
            let ends = table.columns.filter { ColumnNames.order($0.name.uppercased()) == nil }
            guard ends.count == 2 else { continue }
            let member = ends.first { Self.holds($0.name, relationship.name, members) }
            guard let member else { continue }
            let owner = ends.first { $0 != member && ($0.name == "REFLEXIVE" || Self.holds($0.name, inverse?.name, owners)) }
            guard let owner else { continue }
            var join = Join(
                table: table.name, owner: key, inverse: relationship.inverse, ownerColumn: owner.name, memberColumn: member.name)
            join.memberOrder = table.columns.first { Self.orders($0.name, member.name) }?.name
            join.ownerOrder = table.columns.first { Self.orders($0.name, owner.name) }?.name
            return join
        }
        return nil
    }

    private static func holds(_ column: String, _ relationship: String?, _ numbers: Set<Int64>) -> Bool {
        guard let end = ColumnNames.join(column.uppercased()), numbers.contains(end.number) else { return false }
        return relationship.map { ColumnNames.isNumbered(end.name, form: $0.uppercased()) } ?? true
    }

    private static func orders(_ column: String, _ end: String) -> Bool {
        ColumnNames.order(column.uppercased()) == String(end.uppercased().dropFirst(2))
    }

    private func findOneSided(_ relationship: ManagedRelationship, _ key: Key, _ model: ManagedModel) -> OneSided? {
        guard let table = table(of: relationship.destination, in: model) else { return nil }
        for number in entityNumbers(around: key.entity, model).sorted() {
            let name = "\(number)\(relationship.name.uppercased())"
            guard let column = table.column("Z" + name) else { continue }
            var found = OneSided(relationship: key, table: table.name, column: column.name)
            found.order = table.columns.first { ColumnNames.order($0.name.uppercased()) == name }?.name
            return found
        }
        return nil
    }

    /// The numbers by which Core Data may call an entity: its own, its ancestors' and its descendants'.
    private func entityNumbers(around entity: String, _ model: ManagedModel) -> Set<Int64> {
        Set((model.lineage(of: entity) + model.family(of: entity)).compactMap { numbers[$0.name] })
    }
}

extension ManagedAttribute {
    /// Itself, or the members of a composite down to those with a column of their own.
    func leaves(after path: String = "") -> [(path: String, leaf: ManagedAttribute)] {
        let own = path.isEmpty ? name : "\(path).\(name)"
        if elements.isEmpty { return [(own, self)] }
        return elements.flatMap { element in
            var element = element
            element.isOptional = element.isOptional || isOptional
            element.isTransient = element.isTransient || isTransient
            return element.leaves(after: own)
        }
    }
}

extension FileTables.Column.Group {
    /// By NSAttributeType; nil where more than one may hold it.
    init?(coreData code: Int) {
        switch code {
        case 100, 200, 300, 800: self = .integer
        case 500, 600, 900, 400: self = .number
        case 700, 1200: self = .text
        case 1000, 1100, 1800: self = .bytes
        default: return nil
        }
    }
}
