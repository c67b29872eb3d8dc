// Brings a store to the shape of the program's classes when it is opened.
//
// - A file that has the shape is opened as it is, whatever version was written into it.
// - With a plan, the file's shape must be that of one of its versions; the stages from there run in one transaction.
// - Without one, what follows from the two shapes is done, if it follows without a doubt.
// - A file that has been of the wanted shape and left it was migrated by a newer program: it is refused, not brought back.

import Foundation
import SluiceSchema
import SluiceStore

struct StoreUpgrade {
    let configuration: ModelConfiguration
    let path: String
    let wanted: SluiceSchema.Schema
    let route: MigrationRoute?
    let options: Store.Options

    /// One step, decided before anything is written.
    private struct Step {
        let change: SchemaChange
        /// nil where nothing but the shape changes.
        let code: (before: StageCode?, after: StageCode?)?

        var mayLoseValues: Bool { change.isDestructive || code != nil }
    }

    private struct StageCode {
        let context: StageContext
        let body: @Sendable (ModelContext) throws -> Void
    }

    /// - Returns: the wanted shape as the file has it: with the wire names that its fields have kept since their first version.
    /// - Throws: `SwiftDataError`: `.storeIsNewer`, `.backwardMigration`, `.unknownSchema`, `.ambiguousRename`, `.loadIssueModelContainer` for a
    ///   change that does not follow from the shapes; what the plan's code throws. The file is then as it was.
    func run() throws -> SluiceSchema.Schema {
        guard let held = try Store.schema(at: path) else { return try newShape() }
        if wanted.isSameShape(as: held) { return wanted.adopting(wireNamesOf: held) }
        let migration = try StoreMigration(path: path, options: options)
        let steps = try steps(from: migration.held)
        if steps.contains(where: \.mayLoseValues) { try StoreBackup.make(of: path, label: "\(migration.held.version)") }
        return try migration.run { transaction in
            // Another process may have migrated while this one waited for the lock.
            let steps = transaction.schema.entities == migration.held.entities ? steps : try self.steps(from: transaction.schema)
            for step in steps { try perform(step, transaction) }
            return transaction.schema
        }
    }

    /// The shape of a store that is made now. Its fields are called on the wire as in a store that went through every version.
    private func newShape() throws -> SluiceSchema.Schema {
        guard let route else { return wanted }
        let versions = try StoreVersions(route, wanted: wanted, held: wanted)
        return versions.shapes[...versions.target].reduce(nil as SluiceSchema.Schema?) { older, shape in
            older.map(shape.adopting(wireNamesOf:)) ?? shape
        } ?? wanted
    }

    private func perform(_ step: Step, _ transaction: MigrationTransaction) throws {
        if let before = step.code?.before { try run(before, transaction) }
        let former = transaction.schema
        try transaction.advance(by: step.change)
        try transaction.store().noteFormer(former)
        guard let code = step.code else { return }
        if let after = code.after { try run(after, transaction) }
        try transaction.checkRequiredValues()
    }

    private func run(_ code: StageCode, _ transaction: MigrationTransaction) throws {
        let store = try transaction.store()
        do { try code.context.run(code.body, on: store) } catch { throw StageFailure(error: error) }
    }

    // MARK: What is to be done

    private func steps(from held: SluiceSchema.Schema) throws -> [Step] {
        // A step takes the shapes as they are declared: their original names are its hints.
        guard !wanted.isSameShape(as: held) else { return [] }
        guard let route else {
            try checkDirection(from: held)
            return [Step(change: try change(from: held, to: wanted, .lightweight(discarding: [])), code: nil)]
        }
        let versions = try StoreVersions(route, wanted: wanted, held: held)
        guard let start = versions.version(of: held) else { throw unknown(held, versions) }
        guard start < versions.target else { throw SwiftDataError.newer(configuration, "is of \(route.versions[start].name)", route.plan) }
        var shape = held
        return try route.stages(from: start, to: versions.target).map { stage, from, to in
            let code = code(of: stage, from: from, to: to, versions)
            let isCustom = code?.before != nil || code?.after != nil
            let change = try change(
                from: shape, to: versions.shapes[to], isCustom ? .custom : .lightweight(discarding: route.plan.discardedProperties))
            shape = change.to
            return Step(change: change, code: code)
        }
    }

    private func code(of stage: MigrationStage, from: Int, to: Int, _ versions: StoreVersions) -> (before: StageCode?, after: StageCode?)? {
        guard case .custom(_, _, let willMigrate, let didMigrate) = stage else { return nil }
        func code(_ version: Int, _ body: (@Sendable (ModelContext) throws -> Void)?) -> StageCode? {
            body.map {
                StageCode(
                    context: StageContext(
                        configuration: configuration, types: versions.types[version], schema: versions.route.versions[version].schema),
                    body: $0)
            }
        }
        return (code(from, willMigrate), code(to, didMigrate))
    }

    private func change(
        from held: SluiceSchema.Schema, to wanted: SluiceSchema.Schema, _ kind: SchemaChange.Kind
    ) throws -> SchemaChange {
        do { return try SchemaChange(from: held, to: wanted, kind: kind) } catch { throw SwiftDataError.refused(error, configuration) }
    }

    // MARK: What is refused

    private func checkDirection(from held: SluiceSchema.Schema) throws {
        guard wanted.version <= held.version else { return }
        if wanted.version < held.version { throw SwiftDataError.newer(configuration, "is of version \(held.version)", nil) }
        if try Store.hasLeft(wanted.adopting(wireNamesOf: held), at: path) {
            throw SwiftDataError.newer(configuration, "had the shape of this program's classes once, and was migrated to another", nil)
        }
    }

    private func unknown(_ held: SluiceSchema.Schema, _ versions: StoreVersions) -> SwiftDataError {
        if held.version > versions.shapes[versions.target].version { return .newer(configuration, "is of version \(held.version)", versions.route.plan) }
        let differences = versions.shapes.map { SchemaDifference(from: held, to: $0.adopting(wireNamesOf: held)) }
        let nearest = differences.indices.min { differences[$0].lines.count < differences[$1].lines.count } ?? 0
        return SwiftDataError.unknownSchema.because(
            """
            the store of configuration \(configuration.name) has the shape of no version of \(versions.route.plan). Beside \
            \(versions.route.versions[nearest].name), the nearest: \(differences[nearest]). Declare the version as it was released; the file was left as it is
            """)
    }
}
