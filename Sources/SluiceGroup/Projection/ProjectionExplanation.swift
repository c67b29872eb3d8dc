import SluiceSchema
import SluiceSQLite
package import SluiceStore

/// What one rule of a group container does, for people: its statement, how SQLite runs it, and what makes it look again.
package struct ProjectionExplanation: Hashable, Sendable, Codable {
    /// Rows that make rows of the rule look otherwise when they change.
    package struct Trigger: Hashable, Sendable, Codable {
        /// The table, as the store has it; the rule's own first.
        package var table: String
        /// The columns that count; empty for coming and going alone, nil for all of them.
        package var columns: [String]?
        /// From the rule's row: `list`, `items ←`. Empty for the rule's own rows.
        package var route: [String]
        /// Rows of the rule that one such change looks at again, on average; nil where nothing was counted.
        package var rowsPerChange: Double?
    }

    package var entity: String
    /// The rule as text.
    package var rule: String
    package var sql: String
    /// SQLite's plan, one step a line.
    package var plan: [String]
    /// Indices that the plan names.
    package var indices: [String]
    /// Rows that helpers see; nil where there is no store to count in.
    package var rowsShown: Int?
    package var maximumAgeSeconds: Int?
    package var triggers: [Trigger]
    /// What one changed row costs, in words.
    package var cost: String
}

extension LocalStoreWriter {
    /// Explains each rule, as it runs in `store`.
    package func explanations(in store: Store) throws -> [ProjectionExplanation] {
        try explanations(in: store, shownIn: current?.store)
    }

    /// Explains rules without a group container: against a store that may be empty.
    package static func explanations(of projections: [Projection], in store: Store) throws -> [ProjectionExplanation] {
        let projected = try ProjectedSchema(of: store.layout.schema, by: projections)
        let projector = try Projector(projections, projected: projected, from: store.layout)
        return try projector.selections.map { try RuleExplainer(selection: $0, store: store, local: nil).explanation() }
    }

    private func explanations(in store: Store, shownIn local: Store?) throws -> [ProjectionExplanation] {
        try projector.selections.map { try RuleExplainer(selection: $0, store: store, local: local).explanation() }
    }
}

/// Explains one rule.
private struct RuleExplainer {
    let selection: Selection
    let store: Store
    let local: Store?

    func explanation() throws -> ProjectionExplanation {
        let statement = selection.query.selecting(selection.transfer.terms)
        let plan = try store.connection.rows("EXPLAIN QUERY PLAN \(statement.sql)", statement.values) { $0.text(3) }
        return ProjectionExplanation(
            entity: selection.projection.entity, rule: selection.projection.description, sql: statement.sql, plan: plan,
            indices: Self.indices(in: plan), rowsShown: try local.map { try selection.heldKeys(in: $0).count },
            maximumAgeSeconds: selection.projection.freshness.map { Int($0 / .seconds(1)) }, triggers: try triggers(), cost: cost)
    }

    private static func indices(in plan: [String]) -> [String] {
        var seen: Set<String> = []
        return plan.compactMap { line in
            guard let range = line.firstRange(of: "INDEX ") else { return nil }
            let name = String(line[range.upperBound...].prefix { $0 != " " })
            return name.hasPrefix("(") || !seen.insert(name).inserted ? nil : name
        }
    }

    // MARK: What makes it look again

    private func triggers() throws -> [ProjectionExplanation.Trigger] {
        let own = store.layout.table(of: selection.query.entity)
        var triggers = [ProjectionExplanation.Trigger(table: own.name, columns: nil, route: [], rowsPerChange: local == nil ? nil : 1)]
        for dependency in selection.dependencies {
            let table = store.layout.tables[dependency.table]
            triggers.append(
                .init(
                    table: table.name, columns: dependency.columns.sorted().map { table.columns[$0].name },
                    route: dependency.hops.map(route), rowsPerChange: try rowsPerChange(dependency)))
        }
        return triggers
    }

    private func route(_ hop: FilterHop) -> String {
        switch hop {
        case .out(let table, let column, _): store.layout.tables[table].columns[column].name
        case .back(let table, let column, _): "\(store.layout.tables[table].name).\(store.layout.tables[table].columns[column].name) ←"
        }
    }

    /// Each step backwards over a reference that rows hold leads to as many rows as hold it, on average.
    private func rowsPerChange(_ dependency: FilterDependency) throws -> Double? {
        guard local != nil else { return nil }
        var rows = 1.0
        for case .out(let table, let column, let target) in dependency.hops {
            let name = store.layout.tables[table].columns[column].sql
            let holders = try store.connection.integer("SELECT count(\(name)) FROM \(store.layout.tables[table].sql)")
            let targets = try store.connection.integer("SELECT count(*) FROM \(store.layout.tables[target].sql)")
            rows *= targets == 0 ? 0 : Double(holders) / Double(targets)
        }
        return (rows * 100).rounded() / 100
    }

    private var cost: String {
        guard let ranked = RankedRows(selection) else {
            return "each row that is looked at again is one search by key, and one write where it differs"
        }
        return """
            up to \(ranked.capacity) remembered rows are put in order by key at each change that concerns the rule; the table is looked \
            through only when more than \(ranked.capacity - ranked.limit) rows have left since it last was
            """
    }
}
