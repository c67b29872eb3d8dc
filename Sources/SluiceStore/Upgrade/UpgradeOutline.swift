// What a migration would do, and how much, without doing it: read from the two schemas and from how many rows there are.

package import SluiceSchema
import SluiceSQLite

/// A migration in words and numbers, as `sluice migrate --plan --json` prints it. A published contract: keys are only added.
package struct UpgradeOutline: Codable, Hashable, Sendable {
    /// The version that the store says it has, and the one it would have.
    package let from: String
    package let to: String
    package let stages: [Stage]
    /// Bytes of the store as one file: about what a backup takes, and what the log may grow by.
    package let byteCount: Int
    /// Whether the store would be backed up first.
    package let takesBackup: Bool

    package struct Stage: Codable, Hashable, Sendable {
        package let name: String
        /// What changes, entity and property first.
        package let changes: [String]
        /// What the stage's code does, where a schema file says so.
        package let code: [String]
        /// Whether values or rows go for good.
        package let isDestructive: Bool
        package let hasCode: Bool
        /// Whether the rows that are there are neither read nor written, however many there are.
        package let isConstantTime: Bool
        /// Rows that are there now of tables that the change of structure reads or writes.
        package let rowCount: Int
    }
}

extension StoreUpgrade {
    /// What `run` would do; nil where there is no store, or where it has the shape already. The store is only read.
    /// - Throws: as `run`, for what can be told from the schemas.
    package func outline() throws -> UpgradeOutline? {
        guard let held = try Store.schema(at: path), !wanted.isSameShape(as: held) else { return nil }
        let steps = try steps(from: held)
        let connection = try Connection(path: path, mode: .readOnly, busyTimeout: options.busyTimeout)
        var counts: [String: Int] = [:]
        for table in StoredSchema(held).tables { counts[table.name] = Int(try connection.integer("SELECT count(*) FROM \(table.sql)")) }
        var stages: [UpgradeOutline.Stage] = []
        for step in steps {
            stages.append(stage(step, counts))
            counts = following(step.change.layout, counts)
        }
        return UpgradeOutline(
            from: "\(held.version)", to: "\(wanted.version)", stages: stages, byteCount: try connection.byteCount,
            takesBackup: makesBackup && steps.contains(where: \.mayLoseValues))
    }

    private func stage(_ step: Step, _ counts: [String: Int]) -> UpgradeOutline.Stage {
        let layout = step.change.layout
        let touched = step.change.isConstantTime ? [] : layout.tables.filter { $0.isRebuilt || !layout.fills(of: $0).isEmpty }.compactMap(\.source)
        let supplied = step.supplied.compactMap { value in layout.new.entities[value.entity].flatMap { layout.tables[$0.table].source } }
        let rowCount = Set(touched + layout.gone + supplied).reduce(0) { $0 + (counts[layout.old.tables[$1].name] ?? 0) }
        return UpgradeOutline.Stage(
            name: step.name, changes: step.change.lines + step.supplied.map { "\($0.entity): works out \($0.property) for each row" },
            code: step.codeLines, isDestructive: step.change.isDestructive, hasCode: step.hasCode,
            isConstantTime: step.change.isConstantTime && step.supplied.isEmpty && !step.hasCode, rowCount: rowCount)
    }

    /// Rows by the names that tables have after a step.
    private func following(_ layout: LayoutChange, _ counts: [String: Int]) -> [String: Int] {
        let pairs = layout.tables.map { change in
            (layout.new.tables[change.table].name, change.source.flatMap { counts[layout.old.tables[$0].name] } ?? 0)
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }
}
