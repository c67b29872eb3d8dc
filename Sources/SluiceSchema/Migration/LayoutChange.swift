// From two layouts and a pairing of their entities: which table becomes which, and where every column has its values from. Pure
// arithmetic; the store carries it out.

/// What becomes of the tables of a store.
package struct LayoutChange: Sendable {
    package let old: StoredSchema
    package let new: StoredSchema
    /// One for each table of the new layout, in its order.
    package let tables: [TableChange]
    /// Old tables whose rows go.
    package let gone: [Int]
    /// Hierarchies that would have to be split or merged.
    let faults: [MigrationFault]

    init(match: SchemaMatch) {
        var builder = LayoutChangeBuilder(match: match)
        let sources = builder.sources()
        tables = builder.new.tables.indices.map { builder.change(of: $0, source: sources[$0]) }
        old = builder.old
        new = builder.new
        faults = builder.faults
        let used = Set(tables.compactMap(\.source))
        gone = old.tables.indices.filter { !used.contains($0) }
    }
}

private struct LayoutChangeBuilder {
    let match: SchemaMatch
    let old: StoredSchema
    let new: StoredSchema
    private(set) var faults: [MigrationFault] = []
    /// Names of new tables by the old tables they take over.
    private var names: [Int: String] = [:]

    init(match: SchemaMatch) {
        self.match = match
        old = StoredSchema(match.from)
        new = StoredSchema(match.to)
    }

    // MARK: Tables

    /// The old table that each new one takes over.
    mutating func sources() -> [Int?] {
        var sources: [Int?] = Array(repeating: nil, count: new.tables.count)
        for table in new.tables.indices {
            let found = isJoin(table) ? joinSource(of: table).map { [$0] } ?? [] : rootSources(of: table)
            sources[table] = found.first
            if found.count > 1 {
                faults.append(.tableSplitOrMerged(gone: found.map { old.tables[$0].name }, came: [new.tables[table].name]))
            }
        }
        for table in old.tables.indices {
            let takers = sources.indices.filter { sources[$0] == table }
            if let first = takers.first { names[table] = new.tables[first].name }
            guard takers.count > 1 else { continue }
            faults.append(.tableSplitOrMerged(gone: [old.tables[table].name], came: takers.map { new.tables[$0].name }))
        }
        return sources
    }

    private func isJoin(_ table: Int) -> Bool { new.entities[new.tables[table].name]?.isJoin ?? false }

    private func rootSources(of table: Int) -> [Int] {
        let tables = new.entities(in: table).compactMap { entity in match.source(of: entity.name).flatMap { old.entities[$0.name]?.table } }
        return Set(tables).sorted()
    }

    /// The old table of the same pairs, under the same name on the wire, so that pairs keep their record names.
    private func joinSource(of table: Int) -> Int? {
        for (entity, link, own) in ends(ofJoin: table) {
            guard let before = oldLink(of: link, from: entity), case .join(let found, own, _) = before.link.place,
                let pairs = old.entities(in: found).first, pairs.wireName == new.entities[new.tables[table].name]?.wireName
            else { continue }
            return found
        }
        return nil
    }

    private func ends(ofJoin table: Int) -> [(entity: StoredEntity, link: StoredEntity.Link, own: Int)] {
        new.sortedEntities.flatMap { entity in
            entity.links.compactMap { link in
                guard case .join(table, let own, _) = link.place else { return nil }
                return (entity, link, own)
            }
        }
    }

    func change(of table: Int, source: Int?) -> TableChange {
        let columns = new.tables[table].columns.indices.map { origin(of: $0, in: table, source: source) }
        let entities: [(String, String)] = new.entities(in: table).filter { !$0.isJoin }.compactMap { entity in
            match.source(of: entity.name).flatMap { $0.name }.map { ($0, entity.name) }
        }
        var change = TableChange(
            table: table, source: source, columns: columns, entities: Dictionary(entities, uniquingKeysWith: { first, _ in first }),
            pairs: source == nil && isJoin(table) ? pairs(of: table) : [], isRebuilt: false)
        if let source, isRebuilt(change, source: source) {
            change = TableChange(
                table: table, source: source, columns: columns, entities: change.entities, pairs: change.pairs, isRebuilt: true)
        }
        return change
    }

    private func pairs(of table: Int) -> [(membership: Membership, isReversed: Bool)] {
        var pairs: [(membership: Membership, isReversed: Bool)] = []
        for (entity, link, own) in ends(ofJoin: table) {
            guard let membership = membership(of: link, from: entity) else { continue }
            if !pairs.contains(where: { $0.membership == membership && $0.isReversed == (own == 1) }) {
                pairs.append((membership, own == 1))
            }
        }
        return pairs
    }

    // MARK: Columns

    private func origin(of column: Int, in table: Int, source: Int?) -> ColumnOrigin {
        guard let source else { return .new }
        if isJoin(table) {
            let name = new.tables[table].columns[column].name
            return old.tables[source].columns.firstIndex { $0.name == name }.map(ColumnOrigin.kept) ?? .new
        }
        let own = ownOrigin(of: column, in: table, source: source)
        if own != .new { return own }
        return memberOrigin(of: column, in: table, source: source) ?? .new
    }

    /// From the properties that the rows' own entities declare.
    private func ownOrigin(of column: Int, in table: Int, source: Int) -> ColumnOrigin {
        var columns: [String: Int] = [:]
        var isMissing = false
        var elsewhere: ColumnOrigin?
        for entity in new.entities(in: table) {
            guard let before = match.source(of: entity.name).flatMap({ old.entities[$0.name] }), before.table == source,
                let place = entity.columns.firstIndex(of: column), let property = property(entity.propertyNames[place], of: entity)
            else { continue }
            switch (property, match.source(of: property.name, in: entity.name)) {
            case (.attribute, .attribute(let attribute)):
                columns[before.name] = zip(before.columns, before.propertyNames).first { $0.1 == attribute.name }?.0
            case (.relationship(let relationship), .relationship):
                guard let link = entity.link(named: relationship.name), let membership = membership(of: link, from: entity) else {
                    isMissing = true
                    continue
                }
                if membership.table == source, membership.owner == .row, case .column(let found) = membership.member {
                    columns[before.name] = found
                } else {
                    elsewhere = .related(membership, asOwner: true)
                }
            default: isMissing = true
            }
        }
        if columns.isEmpty { return elsewhere ?? .new }
        let found = Set(columns.values)
        if found.count == 1, !isMissing, let only = found.first { return .kept(only) }
        return .byEntity(columns)
    }

    private func property(_ name: String, of entity: StoredEntity) -> SchemaProperty? {
        match.to.entity(named: entity.name).flatMap { declared in match.to.properties(of: declared).first { $0.name == name } }
    }

    /// From relationships that end at this table: the column holds the owner of the row, or its place there.
    private func memberOrigin(of column: Int, in table: Int, source: Int) -> ColumnOrigin? {
        for entity in new.sortedEntities {
            for link in entity.links {
                guard case .inverse(table, let reference) = link.place, reference == column || link.positionColumn == column,
                    let membership = membership(of: link, from: entity)
                else { continue }
                let isDirect = membership.table == source && membership.member == .row
                if reference == column {
                    if isDirect, case .column(let found) = membership.owner { return .kept(found) }
                    return .related(membership, asOwner: false)
                }
                guard let position = membership.position else { return nil }
                return isDirect ? .kept(position) : .place(membership)
            }
        }
        return nil
    }

    // MARK: Relationships

    private func oldLink(of link: StoredEntity.Link, from entity: StoredEntity) -> (entity: StoredEntity, link: StoredEntity.Link)? {
        guard let source = match.source(of: entity.name), let before = old.entities[source.name],
            let relationship = match.source(of: link.relationship.name, in: entity.name)?.relationship,
            let found = before.link(named: relationship.name), match.carries(relationship, to: link.relationship)
        else { return nil }
        return (before, found)
    }

    /// The pairs of the old relationship behind a new one; nil where it is new, or leads to other rows.
    private func membership(of link: StoredEntity.Link, from entity: StoredEntity) -> Membership? {
        oldLink(of: link, from: entity).map { Membership($0.link, of: $0.entity) }
    }

    // MARK: Rebuilding

    /// SQLite adds a column and renames one in place; everything else takes a new table.
    private func isRebuilt(_ change: TableChange, source: Int) -> Bool {
        let (before, after) = (old.tables[source], new.tables[change.table])
        let kept = change.columns.flatMap(\.columns)
        guard kept.count == before.columns.count, Set(kept).count == kept.count else { return true }
        for (column, origin) in zip(after.columns, change.columns) {
            switch origin {
            case .new: continue
            case .kept(let position): if !isAlike(before.columns[position], column) { return true }
            case .byEntity, .related, .place: return true
            }
        }
        let rows = old.entities(in: source).filter { !$0.isAbstract && !$0.isJoin }
        guard rows.allSatisfy({ change.entities[$0.name] != nil }) else { return true }
        if after.isHierarchy {
            // Rows without a column for their entity get the table's name, and so do rows that are added with plain SQL later.
            if before.isHierarchy { return before.name != after.name || change.entities.contains { $0.key != $0.value } }
            return change.entities[before.name] != after.name
        }
        return before.isHierarchy
    }

    private func isAlike(_ before: TableLayout.Column, _ after: TableLayout.Column) -> Bool {
        switch (before.content, after.content) {
        case (.attribute(let before), .attribute(let after)):
            TypeChange(from: before.type, to: after.type).keepsStoredForm && before.defaultValue == after.defaultValue
        case (.reference(let target, let rule), .reference(let newTarget, let newRule)):
            rule == newRule && old.tableIndex(named: target).flatMap { names[$0] } == newTarget
        default: false
        }
    }
}

extension SchemaMatch {
    /// Whether the rows that `old` leads to are rows that `new` may lead to.
    package func carries(_ old: Relationship, to new: Relationship) -> Bool {
        guard let destination = destination(of: old.destination) else { return false }
        return to.lineage(of: destination).contains { $0.name == new.destination }
    }
}
