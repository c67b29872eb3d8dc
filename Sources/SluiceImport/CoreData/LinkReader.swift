import SluiceSQLite
import SluiceSchema

/// Reads memberships of to-many relationships that no to-one holds.
struct LinkReader {
    /// One table of pairs, or one column of the members' table, as a query.
    struct Source {
        let key: FileLayout.Key
        /// In the imported schema, as the next two names.
        let entity: String
        let relationship: String
        let inverse: String?
        let table: String
        let ownerColumn: String
        let memberColumn: String
        let memberOrder: String?
        let ownerOrder: String?
        let ownerTable: String
        let memberTable: String
        let owners: [Int64: String]
        let members: [Int64: String]

        /// Owner, its entity number, its position; member, its entity number, its position.
        var sql: String {
            let (owner, member) = ("l." + SQLText.name(ownerColumn), "l." + SQLText.name(memberColumn))
            func order(_ column: String?) -> String { column.map { "l." + SQLText.name($0) } ?? "NULL" }
            return """
                SELECT \(owner), (SELECT Z_ENT FROM \(SQLText.name(ownerTable)) WHERE Z_PK = \(owner)), \(order(ownerOrder)),
                    \(member), (SELECT Z_ENT FROM \(SQLText.name(memberTable)) WHERE Z_PK = \(member)), \(order(memberOrder))
                FROM \(SQLText.name(table)) AS l WHERE \(owner) IS NOT NULL AND \(member) IS NOT NULL ORDER BY 1, 6, 4
                """
        }
    }

    let sources: [Source]

    init(_ model: ManagedModel, _ layout: FileLayout, _ names: SchemaNames) {
        func numbered(_ entity: String) -> [Int64: String] {
            let family = model.family(of: entity).compactMap { member in
                layout.numbers[member.name].map { ($0, names.entities[member.name] ?? member.name) }
            }
            return Dictionary(family) { first, _ in first }
        }
        func source(
            _ key: FileLayout.Key, table: String, owner: String, member: String, memberOrder: String?, ownerOrder: String?
        ) -> Source? {
            guard let relationship = model.entity(named: key.entity)?.relationships.first(where: { $0.name == key.path }),
                let ownerTable = layout.table(of: key.entity, in: model),
                let memberTable = layout.table(of: relationship.destination, in: model)
            else { return nil }
            let inverse = relationship.inverse.flatMap { name in
                model.lineage(of: relationship.destination).first { $0.relationships.contains { $0.name == name } }
                    .map { names[.init(entity: $0.name, path: name)] }
            }
            return Source(
                key: key, entity: names.entities[key.entity] ?? key.entity, relationship: names[key], inverse: inverse, table: table,
                ownerColumn: owner, memberColumn: member,
                memberOrder: memberOrder, ownerOrder: ownerOrder, ownerTable: ownerTable.name, memberTable: memberTable.name,
                owners: numbered(key.entity), members: numbered(relationship.destination))
        }
        let joined = layout.joins.compactMap {
            source(
                $0.owner, table: $0.table, owner: $0.ownerColumn, member: $0.memberColumn, memberOrder: $0.memberOrder,
                ownerOrder: $0.ownerOrder)
        }
        let oneSided = layout.oneSided.compactMap {
            source($0.relationship, table: $0.table, owner: $0.column, member: "Z_PK", memberOrder: $0.order, ownerOrder: nil)
        }
        sources = joined + oneSided
    }

    func forEachLink(_ connection: Connection, _ findings: inout ReadFindings, _ body: (LegacyLink) throws -> Void) throws {
        for source in sources { try forEachLink(of: source, connection, &findings, body) }
    }

    func forEachLink(
        of source: Source, _ connection: Connection, _ findings: inout ReadFindings, _ body: (LegacyLink) throws -> Void
    ) throws {
        var found = findings
        try connection.forEachRow(source.sql) { statement in
            let (owner, member) = (statement.integer(0), statement.integer(3))
            guard let ownerEntity = source.owners[statement.integer(1)], let memberEntity = source.members[statement.integer(4)] else {
                found.note(.danglingReference, source.entity, source.relationship, row: owner)
                return
            }
            found.countLink()
            try body(
                LegacyLink(
                    relationship: source.relationship, inverse: source.inverse,
                    owner: LegacyReference(
                        entity: ownerEntity, primaryKey: owner, position: statement.isNull(2) ? nil : statement.integer(2)),
                    member: LegacyReference(
                        entity: memberEntity, primaryKey: member, position: statement.isNull(5) ? nil : statement.integer(5))))
        }
        findings = found
    }
}
