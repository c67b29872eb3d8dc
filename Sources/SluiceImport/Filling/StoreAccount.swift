import SluiceSQLite
import SluiceSchema
import SluiceStore

/// The report of a store of ours: copied whole, every table with its rows in the copy, compared with the source's; or read row by row, and then
/// what sync keeps beside the rows is left.
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
                isRead ? .left(reason: Self.reason(for: name)) : .copied
            }
        let columns = try source.rows("SELECT name, type FROM pragma_table_info(?)", [.text(name)]) { statement in
            let column = statement.text(0)
            let count = Int(try source.integer("SELECT count(\(SQLText.name(column))) FROM \(SQLText.name(name))"))
            let fate = self.fate(of: column, in: name, layout)
            var isLeft = false
            if case .left = fate { isLeft = true }
            return ImportReport.Column(
                name: column, declaredType: statement.text(1), fate: fate, valueCount: count, importedCount: isLeft ? 0 : count)
        }
        var isLeft = false
        if case .left = fate { isLeft = true }
        return ImportReport.Table(name: name, fate: fate, rowCount: rowCount, importedRowCount: isLeft ? 0 : rowCount, columns: columns)
    }

    /// Rows are taken under their record names, and nothing that the old store owes the service.
    private static func reason(for table: String) -> String {
        let byDesign = FileAccount.byDesign
        return switch table {
        case "_sluice_store", "_sluice_table": "\(byDesign): the store's own description"
        case "_sluice_change", "_sluice_transaction", "_sluice_capture", "_sluice_cursor": "\(byDesign): history of the old store"
        case "_sluice_sync": "\(byDesign): where the old store stood with the service"
        case "_sluice_record": "\(byDesign): change tags of the old store"
        case "_sluice_tombstone": "\(byDesign): what was deleted"
        case "_sluice_field", "_sluice_operation", "_sluice_order", "_sluice_member", "_sluice_departed":
            "\(byDesign): belongs to what waits to be sent, which is counted there"
        case "_sluice_pending": "changes that wait to be sent: edits are in the rows, deletions are told to nobody"
        case "_sluice_inbox": "records that the store could not take in yet"
        case "_sluice_owed": "edits of fields that wait to be sent"
        case let name where name.hasPrefix("sqlite_"): "\(byDesign): SQLite's own"
        default: "no entity of the schema lies here"
        }
    }

    /// Of a table beside the rows. What newer versions wrote into fields that this schema does not have lies in one of them.
    private static func reason(for column: String, of table: String) -> String {
        (table, column) == ("_sluice_record", "extra") ? "fields that the schema does not have, as a newer version wrote them" : reason(for: table)
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
        guard isRead else { return .copied }
        guard let index = layout.tableIndex(named: table) else { return .left(reason: Self.reason(for: column, of: table)) }
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
