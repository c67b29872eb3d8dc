// How rows of one projection get from the synced store into the local one. Keys and record names stay what they are there, so references
// need no translation. Values pass as SQLite holds them, the NFC shadows of texts with them; a value in a file beside the synced store
// gets its file beside the local one before the row is written, and so before the generation commits.

import SluiceSchema
import SluiceSQLite
import SluiceStore

/// The statements that copy rows of one table.
struct RowTransfer {
    /// Positions of the table in the two layouts.
    let sourceTable: Int
    let localTable: Int
    /// Terms to select from the synced store, in the order of the placeholders below: key, name, entity where there is one, then the
    /// columns.
    let terms: SQLFragment
    /// Selects them of the row with a key, which comes last.
    let selection: SQLFragment
    /// Whether the local store has a row with a key.
    let presence: String
    /// Writes a row whose references are known to have their destinations.
    let insertion: String
    /// Writes or updates a row; a reference whose destination is not in the local store becomes NULL. Touches nothing where nothing
    /// differs.
    let upsert: String
    /// Which of the terms may refer to external values.
    private let externalTerms: [Int]
    /// The columns that refer to other rows.
    let references: [Reference]

    struct Reference {
        let local: TableLayout.Column
        let source: TableLayout.Column
        /// The table it refers to, by name; the same in both stores.
        let destination: String
    }

    /// - Parameters:
    ///   - derived: values that are worked out from others, by the attribute that holds them.
    ///   - selects: whether an attribute of that name is copied.
    init(
        table: String, from source: StoredSchema, to local: StoredSchema, entities: [String], derived: [String: DerivedTerm] = [:],
        selects: (String) -> Bool
    ) {
        sourceTable = source.tableIndex(named: table) ?? 0
        localTable = local.tableIndex(named: table) ?? 0
        let columns = Self.columns(from: source, to: local, table: localTable, entities: entities, selects: selects)
        let layout = local.tables[localTable]
        references = columns.compactMap { pair in
            pair.local.referencedTable.map { Reference(local: pair.local, source: pair.source, destination: $0) }
        }
        var sources: [SQLFragment] = ["t._pk", "t._id"]
        var names = ["_pk", "_id"]
        var values = ["?", "?"]
        var externalTerms: [Int] = []
        if layout.isHierarchy {
            sources.append("t._entity")
            names.append("_entity")
            values.append("?")
        }
        for (local, source) in columns {
            if source.attribute?.type.isBytes == true { externalTerms.append(sources.count) }
            sources.append("t.\(sql: source.sql)")
            names.append(local.sql)
            values.append(local.referencedTable.map { "(SELECT _pk FROM \(SQLText.name($0)) WHERE _pk = ?)" } ?? "?")
            guard let localShadow = local.shadowName, let sourceShadow = source.shadowName else { continue }
            sources.append("t.\(sql: SQLText.name(sourceShadow))")
            names.append(SQLText.name(localShadow))
            values.append("?")
        }
        for (column, term) in Self.derivedColumns(derived, of: entities, in: local) {
            if term.type.isBytes { externalTerms.append(sources.count) }
            sources.append(term.sql)
            names.append(column.sql)
            values.append("?")
            guard let shadow = column.shadowName else { continue }
            sources.append("\(sql: FilterFunctions.shadow)(\(term.sql))")
            names.append(SQLText.name(shadow))
            values.append("?")
        }
        self.externalTerms = externalTerms
        terms = sources.joined(by: ", ")
        selection = "SELECT \(terms) FROM \(sql: source.tables[sourceTable].sql) AS t WHERE t._pk = ?"
        presence = "SELECT 1 FROM \(layout.sql) WHERE _pk = ?"
        let target = "INSERT INTO \(layout.sql)(\(names.joined(separator: ", "))) VALUES"
        insertion = "\(target) (\(SQLText.placeholders(names.count)))"
        let changing = names.dropFirst(2)
        let resolution =
            changing.isEmpty
            ? "DO NOTHING"
            : "DO UPDATE SET " + changing.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
                + " WHERE " + changing.map { "\(layout.sql).\($0) IS NOT excluded.\($0)" }.joined(separator: " OR ")
        upsert = "\(target) (\(values.joined(separator: ", "))) ON CONFLICT(_pk) \(resolution)"
    }

    /// Pairs of columns that hold the same property. Their names may differ: in a hierarchy a name depends on its neighbours.
    private static func columns(
        from source: StoredSchema, to local: StoredSchema, table: Int, entities: [String], selects: (String) -> Bool
    ) -> [(local: TableLayout.Column, source: TableLayout.Column)] {
        var pairs: [Int: TableLayout.Column] = [:]
        let places = Self.places(in: local, table: table)
        for name in entities {
            guard let localEntity = local.entities[name], let sourceEntity = source.entities[name] else { continue }
            let sourceColumns = source.table(of: sourceEntity).columns
            for position in localEntity.columns {
                let column = local.tables[table].columns[position]
                if let attribute = column.attribute {
                    guard selects(attribute.name) || places.contains(position) else { continue }
                    pairs[position] = sourceEntity.columns.lazy.map { sourceColumns[$0] }.first { $0.attribute?.name == attribute.name }
                } else if let link = localEntity.links.first(where: { $0.place == .own(column: position) }),
                    case .own(let other)? = sourceEntity.link(named: link.relationship.name)?.place
                {
                    pairs[position] = sourceColumns[other]
                } else {
                    // The backward column of a to-many without an inverse, and the ends of a pair, are named after their owners alone.
                    pairs[position] = sourceColumns.first { $0.name == column.name }
                }
            }
        }
        return pairs.sorted { $0.key < $1.key }.map { (local.tables[table].columns[$0.key], $0.value) }
    }

    /// The columns that keep the order of members. No rule names them: they come along with the relationship.
    private static func places(in local: StoredSchema, table: Int) -> Set<Int> {
        Set(
            local.entities.values.flatMap(\.links).compactMap { link in
                guard case .inverse(table, _) = link.place else { return nil }
                return link.positionColumn
            })
    }

    private static func derivedColumns(
        _ derived: [String: DerivedTerm], of entities: [String], in local: StoredSchema
    ) -> [(TableLayout.Column, DerivedTerm)] {
        var columns: [Int: (TableLayout.Column, DerivedTerm)] = [:]
        for entity in entities.compactMap({ local.entities[$0] }) {
            for (position, name) in zip(entity.columns, entity.propertyNames) {
                guard let term = derived[name] else { continue }
                columns[position] = (local.table(of: entity).columns[position], term)
            }
        }
        return columns.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Copies the row that the statement, one of `store`, stands on.
    func copy(_ statement: Statement, by sql: String, into target: Store, from store: Store) throws {
        for term in externalTerms where statement.isText(Int32(term)) {
            if let reference = ExternalReference(statement.text(Int32(term))) { try target.bring(reference, from: store) }
        }
        try target.connection.run(sql, columnsOf: statement)
    }
}

extension Store {
    /// Copies an external value of another store. One that is lost there is lost here: who reads the row is told so, and the row is no
    /// other for it.
    func bring(_ reference: ExternalReference, from store: Store) throws {
        guard let source = store.externalValues else { return }
        _ = try externalWriter?.bring(reference, from: source)
    }
}
