import SluiceSQLite
import SluiceSchema

/// Counts rows that lack what is required of them.
struct RequiredValues {
    let connection: Connection
    let layout: StoredSchema

    /// nil where every row of the entity and its subentities has a value.
    func fault(of place: SchemaChange.Required) throws -> MigrationFault? {
        guard let entity = layout.entities[place.entity], let declared = layout.schema.entity(named: place.entity),
            let property = layout.schema.properties(of: declared).first(where: { $0.name == place.property })
        else { return nil }
        let table = layout.table(of: entity)
        var condition: String
        if let position = entity.propertyNames.firstIndex(of: place.property) {
            condition = "\(table.columns[entity.columns[position]].sql) IS NULL"
        } else if let link = entity.link(named: place.property), case .inverse(let other, let column) = link.place {
            condition =
                "_pk NOT IN (SELECT \(layout.tables[other].columns[column].sql) FROM \(layout.tables[other].sql) "
                + "WHERE \(layout.tables[other].columns[column].sql) IS NOT NULL)"
        } else {
            return nil
        }
        var values: [SQLiteValue] = []
        if let names = layout.rowEntities(of: entity) {
            condition += " AND _entity IN (\(SQLText.placeholders(names.count)))"
            values = names.map(SQLiteValue.text)
        }
        let count = Int(try connection.integer("SELECT count(*) FROM \(table.sql) WHERE \(condition)", values))
        guard count > 0 else { return nil }
        return .requiredWithoutDefault(entity: place.entity, property: place.property, shape: property.shape, rows: count)
    }
}
