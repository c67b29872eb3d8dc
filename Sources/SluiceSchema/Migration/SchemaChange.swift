// One structural step from one schema to another: checked against the rules before any file is opened, and able to say what it will do.

/// A step between two schemas that nothing forbids, as far as the schemas alone tell. What depends on the rows (values that stand twice,
/// a to-many with several members that becomes a to-one) is found when it is carried out.
package struct SchemaChange: Sendable {
    package enum Kind: Hashable, Sendable {
        /// Nobody's code runs: everything must follow from the two schemas. `discarding` names properties (`Entity.property`) and
        /// entities that are to go with their values, though something of the same shape comes; `supplying` names required properties
        /// whose rows get a value of their own each, from a default that is worked out anew each time.
        case lightweight(discarding: Set<String> = [], supplying: Set<String> = [])
        /// Code runs before and after: it fills what is required, converts, and splits.
        case custom
    }

    /// A property that must have a value in every row once the stage's code has run.
    package struct Required: Hashable, Sendable {
        package let entity: String
        package let property: String
    }

    package let from: Schema
    /// The wanted schema, with the first-version names that `from` knows.
    package let to: Schema
    package let kind: Kind
    package let match: SchemaMatch
    package let layout: LayoutChange
    /// What somebody has to fill: a custom stage's code, or the defaults that are worked out for each row.
    package let required: [Required]

    /// - Parameter wanted: the schema as it was declared, with its hints.
    /// - Throws: `MigrationRefusal` with every fault of the step.
    package init(from: Schema, to wanted: Schema, kind: Kind) throws(MigrationRefusal) {
        self.from = from
        to = wanted.adopting(wireNamesOf: from)
        self.kind = kind
        let declared = SchemaMatch(from: from, to: wanted)
        match = declared.replacing(to: to)
        layout = LayoutChange(match: match)
        let search = ChangeFaults(match: declared)
        var faults = search.lasting + layout.faults
        switch kind {
        case .lightweight(let discarding, let supplying):
            faults += search.found(discarding: discarding, supplying: supplying)
            required = search.toBeFilled.map { Required(entity: $0.entity, property: $0.property) }
        case .custom:
            required = search.toBeFilled.map { Required(entity: $0.entity, property: $0.property) }
        }
        guard faults.isEmpty else { throw MigrationRefusal(from: from.version, to: to.version, faults: faults) }
    }

    /// Whether nothing changes but version and name.
    package var isEmpty: Bool { from.entities == to.entities }

    /// Whether values or rows go for good.
    package var isDestructive: Bool {
        if !match.gone.isEmpty || match.pairs.contains(where: { !match.goneProperties(of: $0).isEmpty }) { return true }
        return match.pairs.contains { pair in
            to.properties(of: pair.to).contains { property in
                guard let source = match.source(of: property.name, in: pair.to.name) else { return false }
                return !ChangeFaults.isWidening(source, property, match)
            }
        }
    }

    /// Whether the rows that are there are neither read nor written, however many there are.
    package var isConstantTime: Bool {
        layout.tables.allSatisfy { change in
            guard let source = change.source else { return change.pairs.isEmpty }
            return !change.isRebuilt && layout.old.tables[source].name == layout.new.tables[change.table].name
                && layout.fills(of: change).isEmpty && !hasNewIndexes(change, source: source)
        } && layout.gone.isEmpty
    }

    private func hasNewIndexes(_ change: TableChange, source: Int) -> Bool {
        let (before, after) = (layout.old.tables[source], layout.new.tables[change.table])
        let references = zip(after.columns, change.columns).contains { $0.referencedTable != nil && $1 == .new }
        func names(_ layout: StoredSchema, _ table: Int) -> Set<[String]> {
            Set(
                layout.entities(in: table).flatMap { entity -> [[String]] in
                    let unique = entity.uniqueness.map { ["unique"] + $0.map { layout.tables[table].columns[$0].name } }
                    return unique + (layout.schema.entity(named: entity.name)?.indices.map { ["index"] + $0 } ?? [])
                })
        }
        let isRenamed = zip(after.columns, change.columns).contains { column, origin in
            origin.columns.contains { before.columns[$0].name != column.name && column.referencedTable != nil }
        }
        return references || isRenamed || !names(layout.new, change.table).isSubset(of: names(layout.old, source))
    }
}
