import SluiceSQLite
package import SluiceSchema
import SluiceStore

/// A staged store of ours, read row by row: to be looked into, exported, or added to another store. A move copies it whole instead.
package final class SluiceFile: LegacyFile {
    package let store: StagedStore
    package let schema: Schema
    package let report: ImportReport
    package let entities: [String]

    private let connection: Connection
    private let layout: StoredSchema
    private let external: SluiceSchema.ExternalValues?
    private let options: LegacyFileOptions

    package init(_ store: StagedStore, options: LegacyFileOptions) throws {
        self.store = store
        self.options = options
        connection = try Connection(path: store.path, mode: .readOnly)
        schema = try StoreHeader.schema(in: connection)
        layout = StoredSchema(schema)
        external = SluiceSchema.ExternalValues(besideStore: store.path)
        entities = layout.entities.values.filter { !$0.isJoin && !$0.isAbstract }.sorted { ($0.table, $0.name) < ($1.table, $1.name) }
            .map(\.name)
        var lost: [ExternalValueFault] = []
        for table in layout.tables.indices {
            let decoder = RowDecoder(table: table, in: layout, external: external)
            try connection.forEachRow(decoder.selection) { _ = try decoder.row($0) { lost.append($0) } }
        }
        report = try StoreAccount(schema: schema, isRead: true).report(of: store, connection, copy: connection, lost: lost)
    }

    package func forEachBatch(of entity: String, _ body: ([LegacyRow]) throws -> Void) throws {
        guard let stored = layout.entities[entity] else { return }
        let decoder = RowDecoder(table: stored.table, in: layout, external: external)
        let condition = stored.discriminator == nil ? "" : " WHERE t._entity = ?"
        var batch = ReadBatch<LegacyRow>(options)
        try connection.forEachRow(
            "\(decoder.selection)\(condition) ORDER BY t._pk", stored.discriminator.map { [.text($0)] } ?? []
        ) { statement in
            guard let row = try decoder.row(statement, onFault: { _ in }) else { return }
            try batch.add(
                try self.row(row, stored, key: decoder.key(statement)), byteCount: row.attributes.values.reduce(64) { $0 + $1.byteCount },
                body)
        }
        try batch.finish(body)
    }

    private func row(_ row: StoredRow, _ entity: StoredEntity, key: RowKey) throws -> LegacyRow {
        var values: [String: PropertyValue] = [:]
        for attribute in schema.entity(named: entity.name).map(schema.attributes) ?? [] {
            values[attribute.name] = row.attributes[attribute.name] ?? .null
        }
        var toOne: [String: LegacyReference?] = [:]
        for link in entity.links {
            guard case .own = link.place else { continue }
            let relationship = link.relationship
            let target = try row.references[relationship.name].flatMap { try reference(to: $0, in: relationship.destination) }
            let list = relationship.inverse.flatMap { layout.entities[relationship.destination]?.link(named: $0) }
            toOne[relationship.name] = .some(target.map { $0.at(position(list, of: row)) })
        }
        return LegacyRow(entity: entity.name, primaryKey: key.key, recordName: row.name, values: values, toOne: toOne)
    }

    /// Where the row stands in the ordered relationship whose members' table is its own.
    private func position(_ list: StoredEntity.Link?, of row: StoredRow) -> Int64? {
        guard let list, let column = list.positionColumn, case .inverse(let table, _) = list.place,
            case .integer(let position)? = row.attributes[layout.tables[table].columns[column].name]
        else { return nil }
        return position
    }

    private func reference(to name: RecordName, in destination: String) throws -> LegacyReference? {
        guard let entity = layout.entities[destination] else { return nil }
        let table = layout.tables[entity.table]
        return try connection.firstRow(
            "SELECT _pk, \(table.isHierarchy ? "_entity" : "NULL") FROM \(table.sql) WHERE _id = ?", [name.stored]
        ) { statement in
            layout.entity(inTable: entity.table, discriminator: statement.isNull(1) ? nil : statement.text(1)).map {
                LegacyReference(entity: $0.name, primaryKey: statement.integer(0), position: nil)
            }
        } ?? nil
    }

    package func forEachLinkBatch(_ body: ([LegacyLink]) throws -> Void) throws {
        var batch = ReadBatch<LegacyLink>(options)
        for entity in schema.entities {
            for relationship in entity.relationships where relationship.isToMany {
                guard let stored = layout.entities[entity.name], let link = stored.link(named: relationship.name) else { continue }
                switch link.place {
                case .own: continue
                case .join(let table, let own, _) where own == 0:
                    try pairs(of: relationship, table: table, entity.name) { try batch.add($0, byteCount: 128, body) }
                case .join: continue
                case .inverse(let table, let column) where relationship.inverse == nil:
                    try members(of: relationship, link, table: table, column: column, owner: entity.name) {
                        try batch.add($0, byteCount: 128, body)
                    }
                case .inverse: continue
                }
            }
        }
        try batch.finish(body)
    }

    private func pairs(of relationship: Relationship, table: Int, _ owner: String, _ body: (LegacyLink) throws -> Void) throws {
        let decoder = RowDecoder(table: table, in: layout, external: nil)
        try connection.forEachRow("\(decoder.selection) ORDER BY t._pk") { statement in
            guard let row = try decoder.row(statement), let source = row.references["source"], let target = row.references["target"],
                let from = try reference(to: source, in: owner), let to = try reference(to: target, in: relationship.destination)
            else { return }
            func position(_ column: String) -> Int64? { if case .integer(let place)? = row.attributes[column] { place } else { nil } }
            try body(
                LegacyLink(
                    relationship: relationship.name, inverse: relationship.inverse, owner: from.at(position("inverse_position")),
                    member: to.at(position("position"))))
        }
    }

    private func members(
        of relationship: Relationship, _ link: StoredEntity.Link, table: Int, column: Int, owner: String,
        _ body: (LegacyLink) throws -> Void
    ) throws {
        let decoder = RowDecoder(table: table, in: layout, external: external)
        let holder = layout.tables[table].columns[column]
        try connection.forEachRow("\(decoder.selection) WHERE t.\(holder.sql) IS NOT NULL ORDER BY t.\(holder.sql), t._pk") { statement in
            guard let row = try decoder.row(statement, onFault: { _ in }), let name = row.references[holder.name],
                let from = try reference(to: name, in: owner)
            else { return }
            let member = LegacyReference(entity: row.entity, primaryKey: decoder.key(statement).key, position: position(link, of: row))
            try body(LegacyLink(relationship: relationship.name, inverse: nil, owner: from, member: member))
        }
    }
}

extension LegacyReference {
    func at(_ position: Int64?) -> LegacyReference { LegacyReference(entity: entity, primaryKey: primaryKey, position: position) }
}
