import SluiceSQLite
import SluiceSchema

/// How the rows of one entity are read: which columns, as which types, under which names.
struct ReadPlan {
    struct Value {
        let key: FileLayout.Key
        /// In the imported schema.
        let name: String
        let column: String
        var type: AttributeType
        let isExternal: Bool
    }

    struct Reference {
        let key: FileLayout.Key
        let name: String
        let place: FileLayout.Reference
        let destinationTable: String
        /// Entity numbers that the relationship allows, with their entities in the model.
        let allowed: [Int64: String]
    }

    /// In the model.
    let entity: String
    /// In the imported schema.
    let name: String
    let number: Int64
    let table: String
    var values: [Value]
    let references: [Reference]
    /// Position in `values` of the attribute that is the record name.
    var identity: Int?

    /// `Z_PK`, each value, then for each reference its key, the entity number found there and its position.
    var sql: String {
        var terms = ["t.Z_PK"] + values.map { "t." + SQLText.name($0.column) }
        for reference in references {
            let column = "t." + SQLText.name(reference.place.column)
            terms.append(column)
            terms.append("(SELECT Z_ENT FROM \(SQLText.name(reference.destinationTable)) WHERE Z_PK = \(column))")
            terms.append(reference.place.order.map { "t." + SQLText.name($0) } ?? "NULL")
        }
        return "SELECT \(terms.joined(separator: ", ")) FROM \(SQLText.name(table)) AS t WHERE t.Z_ENT = ? ORDER BY t.Z_PK"
    }
}

/// The plans of all entities that have a table, by number: Core Data's own order, parents before children.
struct ReadPlans {
    private(set) var plans: [ReadPlan] = []
    /// The properties that lie in the file as external values.
    private(set) var external: Set<FileLayout.Key> = []

    init(_ model: ManagedModel, _ layout: FileLayout, _ names: SchemaNames, _ connection: Connection) throws {
        var checked: [FileLayout.Key: Bool] = [:]
        for entity in model.entities {
            guard let table = layout.table(of: entity.name, in: model), let number = layout.numbers[entity.name] else { continue }
            let lineage = model.lineage(of: entity.name).reversed()
            var values: [ReadPlan.Value] = []
            var references: [ReadPlan.Reference] = []
            for owner in lineage {
                for (path, leaf) in owner.attributes.flatMap({ $0.leaves() }) {
                    let key = FileLayout.Key(entity: owner.name, path: path)
                    guard let column = layout.attributes[key] else { continue }
                    let declared = table.column(column)?.group
                    let type = AttributeType(coreData: leaf.typeCode) ?? AttributeType(group: declared)
                    let isExternal = try checked[key] ?? (type.isBytes && self.isExternal(leaf, column, table.name, connection))
                    checked[key] = isExternal
                    values.append(.init(key: key, name: names[key], column: column, type: type, isExternal: isExternal))
                }
                references += owner.relationships.compactMap { relationship in
                    let key = FileLayout.Key(entity: owner.name, path: relationship.name)
                    guard let place = layout.references[key], let target = layout.table(of: relationship.destination, in: model) else {
                        return nil
                    }
                    let family = model.family(of: relationship.destination).compactMap { member in
                        layout.numbers[member.name].map { ($0, member.name) }
                    }
                    return .init(
                        key: key, name: names[key], place: place, destinationTable: target.name,
                        allowed: Dictionary(family) { first, _ in first })
                }
            }
            plans.append(
                ReadPlan(
                    entity: entity.name, name: names.entities[entity.name] ?? entity.name, number: number, table: table.name,
                    values: values, references: references))
        }
        plans.sort { $0.number < $1.number }
        external = Set(checked.filter(\.value).keys)
    }

    private func isExternal(
        _ attribute: ManagedAttribute, _ column: String, _ table: String, _ connection: Connection
    ) throws -> Bool {
        try attribute.isExternal || ExternalValues.isUsed(in: column, of: table, connection)
    }

    /// Takes over what the survey decided.
    mutating func adopt(types: [FileLayout.Key: AttributeType], identities: [FileLayout.Key]) {
        for index in plans.indices {
            for position in plans[index].values.indices {
                if let type = types[plans[index].values[position].key] { plans[index].values[position].type = type }
            }
            plans[index].identity = plans[index].values.firstIndex { identities.contains($0.key) }
        }
    }
}

extension AttributeType {
    /// For a type code that we do not know: whatever keeps the column's values.
    init(group: FileTables.Column.Group?) {
        self =
            switch group {
            case .integer: .int64
            case .number: .double
            case .text: .string
            case .bytes, nil: .data
            }
    }
}
