// Changes of relationships that no column of the owner's row shows: pairs of a many-to-many, and members of a to-many without an inverse.
//
// Where a member was moved again later, the owner that it had in between is named by the later transaction, whose old value it is: the
// log keeps what was there before a change, and what came after is in the row.

import SluiceSchema
import SluiceSQLite

extension LogReader {
    // MARK: Pairs

    func notePairs(in transaction: LoggedTransaction, _ drafts: inout Drafts) throws {
        let touched = drafts.entries.filter { $0.kind != nil && isPair($0.row.table) }
        for (table, pairs) in Dictionary(grouping: touched, by: \.row.table) {
            let links = pairLinks(of: table)
            let ends = try ends(of: pairs.map(\.row.key), table: table, from: transaction.first)
            for pair in pairs {
                guard let keys = ends[pair.row.key] else { continue }
                for link in links where drafts.kind(of: RowKey(table: link.table, key: keys[link.column])) ?? .update == .update {
                    drafts.noteMembers(link.relationship, of: RowKey(table: link.table, key: keys[link.column]), at: pair.sequence)
                }
            }
        }
    }

    private struct PairLink: Hashable {
        /// The table of the owner, and the column of the pair that holds its key.
        let table: Int
        let column: Int
        let relationship: String
    }

    private func pairLinks(of table: Int) -> [PairLink] {
        var links: Set<PairLink> = []
        for entity in layout.sortedEntities {
            for link in entity.links {
                guard case .join(table, let own, _) = link.place else { continue }
                links.insert(PairLink(table: entity.table, column: own, relationship: link.relationship.name))
            }
        }
        return links.sorted { ($0.table, $0.column, $0.relationship) < ($1.table, $1.column, $1.relationship) }
    }

    /// The two keys of each pair, those of pairs that are gone from what was logged when they went.
    private func ends(of pairs: [Int64], table: Int, from sequence: Int64) throws -> [Int64: [Int64]] {
        var ends: [Int64: [Int64]] = [:]
        let columns = layout.tables[table].columns
        for part in parts(of: pairs) {
            try connection.forEachRow(
                "SELECT _pk, \(columns[0].sql), \(columns[1].sql) FROM \(layout.tables[table].sql) WHERE _pk IN (\(part.list))", part.values
            ) { ends[$0.integer(0)] = [$0.integer(1), $0.integer(2)] }
        }
        for part in parts(of: pairs.filter { ends[$0] == nil }) {
            try connection.forEachRow(
                """
                SELECT c.row, o.c0, o.c1 FROM _sluice_change c JOIN _sluice_old_\(numbers[table]) o ON o.seq = c.seq
                    WHERE c.seq >= ? AND c.tbl = ? AND c.kind = 2 AND c.row IN (\(part.list))
                """, [.integer(sequence), .integer(numbers[table])] + part.values
            ) { ends[$0.integer(0)] = [$0.integer(1), $0.integer(2)] }
        }
        return ends
    }

    // MARK: One-way to-many

    func noteOwners(in transaction: LoggedTransaction, _ drafts: inout Drafts) throws {
        for owner in ownerLinks {
            let members = drafts.entries.filter { draft in
                guard draft.row.table == owner.memberTable, let kind = draft.kind else { return false }
                return kind != .update || draft.columns.contains(owner.column)
            }
            guard !members.isEmpty else { continue }
            let owners = try owners(of: members.map(\.row.key), owner, in: transaction)
            for member in members {
                for key in owners[member.row.key] ?? [] {
                    let row = RowKey(table: owner.table, key: key)
                    guard drafts.kind(of: row) ?? .update == .update else { continue }
                    drafts.noteMembers(owner.relationship, of: row, at: member.sequence)
                }
            }
        }
    }

    private struct OwnerLink {
        let table: Int
        let relationship: String
        let memberTable: Int
        let column: Int
    }

    private var ownerLinks: [OwnerLink] {
        layout.sortedEntities.flatMap { entity in
            entity.links.compactMap { link in
                let relationship = link.relationship
                guard relationship.isToMany, relationship.inverse == nil, case .inverse(let table, let column) = link.place else { return nil }
                return OwnerLink(table: entity.table, relationship: relationship.name, memberTable: table, column: column)
            }
        }
    }

    private func owners(of members: [Int64], _ owner: OwnerLink, in transaction: LoggedTransaction) throws -> [Int64: Set<Int64>] {
        var owners: [Int64: Set<Int64>] = [:]
        let table = layout.tables[owner.memberTable]
        for part in parts(of: members) {
            try connection.forEachRow(
                "SELECT _pk, \(table.columns[owner.column].sql) FROM \(table.sql) WHERE _pk IN (\(part.list))", part.values
            ) { if !$0.isNull(1) { owners[$0.integer(0), default: []].insert($0.integer(1)) } }
        }
        try connection.forEachRow(
            """
            SELECT c.row, o.c\(owner.column) FROM _sluice_change c JOIN _sluice_old_\(numbers[owner.memberTable]) o ON o.seq = c.seq
                WHERE c.seq BETWEEN ? AND ? AND c.tbl = ? AND o.c\(owner.column) IS NOT NULL
            """, [.integer(transaction.first), .integer(transaction.last), .integer(numbers[owner.memberTable])]
        ) { owners[$0.integer(0), default: []].insert($0.integer(1)) }
        return owners
    }
}
