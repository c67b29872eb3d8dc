import SluiceSQLite
import SluiceSchema
import SluiceStore

/// The report of a store of ours that was copied whole: every table with its rows in the copy, compared with the source's.
struct StoreAccount {
    let schema: Schema
    /// Read row by row, so that each column is a property; else the tables are copied as they are.
    var isRead = false

    /// - Parameter lost: values whose files were not there, or not whole.
    func report(of staged: StagedStore, _ source: Connection, copy: Connection, lost: [ExternalValueFault] = []) throws -> ImportReport {
        let layout = StoredSchema(schema)
        let names = try source.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") { $0.text(0) }
        var tables: [ImportReport.Table] = []
        for name in names {
            let sql = "SELECT count(*) FROM \(SQLText.name(name))"
            let (expected, found) = (Int(try source.integer(sql)), Int(try copy.integer(sql)))
            guard expected == found else { throw ImportError.lostRows(expected: expected, found: found) }
            tables.append(try table(name, rowCount: found, source, layout))
        }
        let entities = try layout.sortedEntities.filter { !$0.isJoin && !$0.isAbstract }.map { entity in
            let table = layout.table(of: entity)
            let condition = entity.discriminator == nil ? "" : " WHERE _entity = ?"
            let count = try copy.integer(
                "SELECT count(*) FROM \(table.sql)\(condition)", entity.discriminator.map { [.text($0)] } ?? [])
            return ImportReport.EntityCount(entity: entity.name, number: nil, table: table.name, rowCount: Int(count))
        }
        return ImportReport(
            copyOf: staged, storeIdentifier: try source.value("SELECT value FROM _sluice_store WHERE key = 'store'")?.text ?? "",
            schema: schema, tables: tables, entities: entities, lost: lost)
    }

    private func table(_ name: String, rowCount: Int, _ source: Connection, _ layout: StoredSchema) throws -> ImportReport.Table {
        let fate: ImportReport.TableFate =
            if let index = layout.tableIndex(named: name) {
                layout.entities(in: index).contains { $0.isJoin } ? .pairs(relationship: relationship(ofPairs: index, layout) ?? name)
                    : .entities(root: name)
            } else {
                .copied
            }
        let columns = try source.rows("SELECT name, type FROM pragma_table_info(?)", [.text(name)]) { statement in
            let column = statement.text(0)
            let count = Int(try source.integer("SELECT count(\(SQLText.name(column))) FROM \(SQLText.name(name))"))
            return ImportReport.Column(
                name: column, declaredType: statement.text(1), fate: self.fate(of: column, in: name, layout), valueCount: count, importedCount: count)
        }
        return ImportReport.Table(name: name, fate: fate, rowCount: rowCount, importedRowCount: rowCount, columns: columns)
    }

    private func relationship(ofPairs table: Int, _ layout: StoredSchema) -> String? {
        for entity in schema.entities {
            for relationship in entity.relationships {
                guard case .join(table, own: 0, _)? = layout.entities[entity.name]?.link(named: relationship.name)?.place else { continue }
                return "\(entity.name).\(relationship.name)"
            }
        }
        return nil
    }

    private func fate(of column: String, in table: String, _ layout: StoredSchema) -> ImportReport.ColumnFate {
        guard isRead, let index = layout.tableIndex(named: table) else { return .copied }
        guard let position = layout.tables[index].columns.firstIndex(where: { $0.name == column }) else {
            return .structure(meaning: "our own")
        }
        for entity in layout.entities(in: index) {
            guard let place = entity.columns.firstIndex(of: position), let declared = schema.entity(named: entity.name) else { continue }
            let name = entity.propertyNames[place]
            let owner = schema.lineage(of: declared).first { owner in
                owner.attributes.contains { $0.name == name } || owner.relationships.contains { $0.name == name }
            }
            guard let owner else { continue }
            let property = "\(owner.name).\(name)"
            return owner.attributes.contains { $0.name == name } ? .attribute(property: property) : .reference(relationship: property)
        }
        return .structure(meaning: "our own")
    }
}
