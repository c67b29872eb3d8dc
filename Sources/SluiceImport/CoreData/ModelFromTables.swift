import SluiceSQLite

/// Guesses a model for a file without `Z_MODELCACHE` (old stores, and stores that a tool stripped).
///
/// Entities and their hierarchy stand in `Z_PRIMARYKEY` with their real names. Of properties only columns are left: their names are in
/// capitals, and all belong to the root, since no column says which subentity declared it. A reference is known by its companion
/// column or by a name that is an entity's; any other integer stays a number. Everything is optional, nothing is unique.
struct ModelFromTables {
    let file: FileTables

    func model() -> ManagedModel {
        let byNumber = Dictionary(file.modelEntities.map { ($0.number, $0) }) { first, _ in first }
        var entities = file.modelEntities.map { numbered in
            ManagedEntity(name: numbered.name, superentity: ancestorExists(numbered, byNumber) ? byNumber[numbered.parent]?.name : nil)
        }
        for index in entities.indices where entities[index].superentity == nil {
            guard let table = file.table("Z" + entities[index].name.uppercased()) else { continue }
            for column in table.columns { add(column, of: table, to: &entities[index], byNumber) }
        }
        var model = ManagedModel(origin: .tables, entities: entities.sorted { $0.name < $1.name })
        for table in file.tables { pair(table, byNumber, &model) }
        return model
    }

    /// Whether following the parents ends at a root.
    private func ancestorExists(_ entity: FileTables.NumberedEntity, _ byNumber: [Int64: FileTables.NumberedEntity]) -> Bool {
        var seen: Set<Int64> = [entity.number]
        var next = entity.parent
        while next != 0 {
            guard seen.insert(next).inserted, let parent = byNumber[next] else { return false }
            next = parent.parent
        }
        return entity.parent != 0
    }

    private func add(
        _ column: FileTables.Column, of table: FileTables.Table, to entity: inout ManagedEntity,
        _ byNumber: [Int64: FileTables.NumberedEntity]
    ) {
        let name = column.name.uppercased()
        guard ColumnNames.structure[name] == nil, ColumnNames.companion(name) == nil, ColumnNames.order(name) == nil, name.hasPrefix("Z"),
            name.count > 1
        else { return }
        let property = String(name.dropFirst())
        if column.group == .integer, let destination = destination(of: property, in: table, byNumber) {
            entity.relationships.append(ManagedRelationship(name: property, destination: destination))
        } else {
            entity.attributes.append(ManagedAttribute(name: property, typeCode: Self.typeCode(column)))
        }
    }

    private func destination(
        of property: String, in table: FileTables.Table, _ byNumber: [Int64: FileTables.NumberedEntity]
    ) -> String? {
        for column in table.columns {
            guard let companion = ColumnNames.companion(column.name.uppercased()), companion.name == property else { continue }
            return byNumber[companion.number]?.name
        }
        return file.modelEntities.first { $0.name.uppercased() == property }?.name
    }

    private static func typeCode(_ column: FileTables.Column) -> Int {
        switch column.declaredType.uppercased() {
        case "INTEGER": 300
        case "TIMESTAMP": 900
        case "DECIMAL": 400
        case "FLOAT", "DOUBLE", "REAL": 500
        case "BLOB": 1000
        default: 700
        }
    }

    /// A join table names both ends in its columns: each is called for the relationship whose members it holds.
    private func pair(_ table: FileTables.Table, _ byNumber: [Int64: FileTables.NumberedEntity], _ model: inout ManagedModel) {
        guard let own = ColumnNames.join(table.name.uppercased()), file.table(table.name) != nil else { return }
        let ends = table.columns.compactMap { ColumnNames.join($0.name.uppercased()) }
        guard ends.count == 2, let memberIndex = ends.firstIndex(where: { $0.name == own.name }),
            let owner = byNumber[own.number]?.name, let member = byNumber[ends[memberIndex].number]?.name
        else { return }
        let inverse = ends[1 - memberIndex].name
        func append(_ relationship: ManagedRelationship, to entity: String) {
            guard let index = model.entities.firstIndex(where: { $0.name == entity }),
                !model.entities[index].relationships.contains(where: { $0.name == relationship.name })
            else { return }
            model.entities[index].relationships.append(relationship)
        }
        append(ManagedRelationship(name: own.name, destination: member, inverse: inverse, isToMany: true), to: owner)
        append(ManagedRelationship(name: inverse, destination: owner, inverse: own.name, isToMany: true), to: member)
    }
}
