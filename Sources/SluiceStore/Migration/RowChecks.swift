import SluiceSQLite
import SluiceSchema

/// What the rows say against a step that the schemas allow. Asked before anything is changed.
struct RowChecks {
    let connection: Connection
    let change: SchemaChange

    private var layout: LayoutChange { change.layout }

    func faults() throws -> [MigrationFault] { try digits() + members() }

    // MARK: Integers that become doubles

    /// In a custom stage such a value becomes NULL, as any other that does not convert.
    private func digits() throws -> [MigrationFault] {
        guard change.kind != .custom else { return [] }
        var faults: [MigrationFault] = []
        for table in layout.tables {
            guard let source = table.source else { continue }
            for (index, column) in layout.new.tables[table.table].columns.enumerated() {
                guard let after = column.attribute else { continue }
                for position in table.columns[index].columns {
                    let before = layout.old.tables[source].columns[position]
                    guard let type = before.attribute?.type, TypeChange(from: type, to: after.type).mayLoseDigits else { continue }
                    let count = try connection.integer(
                        """
                        SELECT count(*) FROM \(layout.old.tables[source].sql)
                            WHERE typeof(\(before.sql)) = 'integer' AND \(before.sql) NOT BETWEEN -9007199254740992 AND 9007199254740992
                            AND sluice_convert(\(before.sql), ?, ?) IS NULL
                        """, [.text(type.rawValue), .text(after.type.rawValue)])
                    guard count > 0 else { continue }
                    let entity = layout.new.entities(in: table.table).first { $0.columns.contains(index) }?.name ?? ""
                    faults.append(
                        .narrowed(entity: entity, property: after.name, from: type.rawValue, to: after.type.rawValue, rows: Int(count)))
                }
            }
        }
        return faults
    }

    // MARK: Relationships with room for one

    private func members() throws -> [MigrationFault] {
        var faults: [MigrationFault] = []
        for entity in layout.new.sortedEntities {
            for link in entity.links {
                guard let source = change.match.source(of: entity.name),
                    let relationship = change.match.source(of: link.relationship.name, in: entity.name)?.relationship,
                    let before = layout.old.entities[source.name], let place = before.link(named: relationship.name),
                    change.match.carries(relationship, to: link.relationship)
                else { continue }
                let old = OldPairs(membership: Membership(place, of: before), layout: layout.old)
                if !link.relationship.isToMany, relationship.isToMany {
                    note(try old.count(having: .owner, connection), entity.name, link.relationship.name, &faults)
                }
                if isForOneOwner(link), !wasForOneOwner(relationship) {
                    let name = link.relationship.inverse ?? "(the other end of \(entity.name).\(link.relationship.name))"
                    note(try old.count(having: .member, connection), link.relationship.destination, name, &faults)
                }
            }
        }
        return faults
    }

    private func note(_ count: Int, _ entity: String, _ relationship: String, _ faults: inout [MigrationFault]) {
        let fault = MigrationFault.tooManyMembers(entity: entity, relationship: relationship, owners: count)
        if count > 0, !faults.contains(fault) { faults.append(fault) }
    }

    /// Whether a member can belong to one owner only from now on.
    private func isForOneOwner(_ link: StoredEntity.Link) -> Bool {
        if let inverse = layout.new.schema.inverse(of: link.relationship) { return !inverse.isToMany }
        return link.relationship.isToMany
    }

    private func wasForOneOwner(_ relationship: Relationship) -> Bool {
        if let inverse = layout.old.schema.inverse(of: relationship) { return !inverse.isToMany }
        return relationship.isToMany
    }
}

/// The pairs of an old relationship, under the names that the tables have before the step.
private struct OldPairs {
    let membership: Membership
    let layout: StoredSchema

    enum Side { case owner, member }

    /// How many rows at one end have several at the other.
    func count(having side: Side, _ connection: Connection) throws -> Int {
        let (own, other) = side == .owner ? (membership.owner, membership.member) : (membership.member, membership.owner)
        let table = layout.tables[membership.table]
        return Int(
            try connection.integer(
                """
                SELECT count(*) FROM (
                    SELECT 1 FROM \(table.sql) WHERE \(term(own)) IS NOT NULL AND \(term(other)) IS NOT NULL
                    GROUP BY \(term(own)) HAVING count(DISTINCT \(term(other))) > 1)
                """))
    }

    private func term(_ end: Membership.End) -> String {
        switch end {
        case .row: "_pk"
        case .column(let column): layout.tables[membership.table].columns[column].sql
        }
    }
}
