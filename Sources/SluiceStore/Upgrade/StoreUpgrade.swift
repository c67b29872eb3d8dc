// Brings a store to the wanted shape when its owner opens it.
//
// - A file that has the shape is opened as it is, whatever version was written into it.
// - With a plan, the file's shape must be that of one of its versions; the stages from there run in one transaction.
// - Without one, what follows from the two shapes is done, if it follows without a doubt.
// - A file that has been of the wanted shape and left it was migrated by a newer program: it is refused, not brought back.

import Foundation
import SluiceSQLite
package import SluiceSchema

/// One store file on its way to a shape. Used on one executor.
package struct StoreUpgrade {
    package let path: String
    /// As it is declared, with its hints.
    package let wanted: Schema
    let options: Store.Options
    let plan: ((_ held: Schema) throws -> UpgradePlan)?
    /// Without a plan: defaults that are worked out for each row.
    let supplied: [SuppliedValue]
    package var companion: (any UpgradeCompanion)?
    /// Told what goes on, on the executor of `run`.
    package var report: (UpgradeEvent) -> Void = { _ in }
    /// Whether the store is backed up before something that may lose values.
    package var makesBackup = true
    /// Asked now and then; where it says yes everything is rolled back.
    package var isCancelled: () -> Bool = { false }

    /// - Parameter plan: the plan as it concerns a file of some shape; without one everything must follow from the shapes.
    package init(
        path: String, wanted: Schema, options: Store.Options, supplied: [SuppliedValue] = [], plan: ((_ held: Schema) throws -> UpgradePlan)? = nil
    ) {
        self.supplied = supplied
        self.path = path
        self.wanted = wanted
        self.options = options
        self.plan = plan
    }

    /// One step, decided before anything is written.
    package struct Step {
        package let change: SchemaChange
        package let name: String
        let before: UpgradeStage.Code?
        let after: UpgradeStage.Code?
        /// Those that rows may lack after the step.
        let supplied: [SuppliedValue]
        let codeLines: [String]

        init(
            _ change: SchemaChange, name: String, before: UpgradeStage.Code? = nil, after: UpgradeStage.Code? = nil, supplied: [SuppliedValue],
            codeLines: [String] = []
        ) {
            self.codeLines = codeLines
            self.change = change
            self.name = name
            self.before = before
            self.after = after
            let required = Set(change.required.map { "\($0.entity).\($0.property)" })
            self.supplied = supplied.filter { required.contains($0.name) }
        }

        package var hasCode: Bool { before != nil || after != nil }
        package var mayLoseValues: Bool { change.isDestructive || hasCode }
    }

    /// - Returns: the wanted shape as the file has it: with the wire names that its fields have kept since their first version.
    /// - Throws: `UpgradeRefusal`, `BackupFailure`, `StageFailure`, and what the plan throws; `SQLiteError`. The file is then as it was.
    package func run() throws -> Schema {
        guard let held = try Store.schema(at: path) else { return try plan?(wanted).newShape ?? wanted }
        if wanted.isSameShape(as: held) { return wanted.adopting(wireNamesOf: held) }
        let begin = ContinuousClock.now
        let migration = try StoreMigration(path: path, options: options)
        let steps = try steps(from: migration.held)
        let shape = try keepingBackup(of: migration.held, if: makesBackup && steps.contains(where: \.mayLoseValues)) {
            try migrate(migration, steps)
        }
        report(.committed(version: "\(shape.version)", duration: begin.duration(to: .now)))
        return shape
    }

    /// How long another writer is waited for.
    private static let patience: Duration = .seconds(120)

    /// A backup that is kept if `body` takes a step. After a failure the store is what the backup is; a program that fails, or is killed, at
    /// every start must not fill the disk, or push out the backups of better days.
    private func keepingBackup(of held: Schema, if isNeeded: Bool, _ body: () throws -> (Schema, didStep: Bool)) throws -> Schema {
        guard isNeeded else { return try body().0 }
        report(.backingUp(byteCount: StoreBackup.byteCount(path)))
        var told = ContinuousClock.now
        let backup = try ProvisionalBackup(of: path, held: held) { _, _ in
            if isCancelled() { throw CancellationError() }
            guard told.duration(to: .now) > .milliseconds(250) else { return }
            told = .now
            report(.copying)
        }
        let outcome: (Schema, didStep: Bool)
        do { outcome = try body() } catch {
            // The first error is the one to tell; a backup too many harms nobody.
            if !Self.isDoubtful(error) { try? backup.remove() }
            throw error
        }
        // The store is migrated, whatever becomes of backups.
        if outcome.didStep { try? backup.settle() } else { try? backup.remove() }
        return outcome.0
    }

    /// Whether the file may be worse than before: then its backup is the best there is.
    private static func isDoubtful(_ error: any Error) -> Bool {
        switch error {
        case let failure as StageFailure: isDoubtful(failure.error)
        case let error as SQLiteError: error.code ~= .ioError || error.code ~= .corrupt || error.code ~= .notADatabase
        default: false
        }
    }

    private func migrate(_ migration: StoreMigration, _ steps: [Step]) throws -> (Schema, didStep: Bool) {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            var hasBegun = false
            do {
                return try migration.run { transaction in
                    hasBegun = true
                    // Another process may have migrated while this one waited for the lock.
                    let steps = transaction.schema.entities == migration.held.entities ? steps : try self.steps(from: transaction.schema)
                    for (index, step) in steps.enumerated() {
                        try perform(step, at: UpgradeEvent.Place(number: index + 1, count: steps.count, name: step.name), transaction)
                    }
                    return (transaction.schema, !steps.isEmpty)
                }
            } catch let error as SQLiteError where error.code ~= .busy && !hasBegun && ContinuousClock.now < deadline {
                if isCancelled() { throw CancellationError() }
                report(.waiting)
            }
        }
    }

    // MARK: Carrying it out

    private func perform(_ step: Step, at place: UpgradeEvent.Place, _ transaction: MigrationTransaction) throws {
        let begin = ContinuousClock.now
        report(.began(place))
        transaction.watch(every: .milliseconds(250), isCancelled: isCancelled) { report(.working(place)) }
        var changes: Int64 = 0
        if let before = step.before { changes += try run(before, of: step, transaction) }
        let former = transaction.schema
        try companion?.willAdvance(transaction.store(), by: step.change)
        try transaction.advance(by: step.change)
        try transaction.store().noteFormer(former)
        if step.after != nil || !step.supplied.isEmpty { try companion?.willRunCode(transaction.store(), after: step.change) }
        for value in step.supplied { try transaction.store().supply(value) }
        if let after = step.after { changes += try run(after, of: step, transaction) }
        try companion?.didFinish(transaction.store(), step.change)
        try transaction.checkRequiredValues()
        report(.finished(place, changes: changes, duration: begin.duration(to: .now)))
    }

    /// Returns how many changes of rows were logged.
    private func run(_ code: UpgradeStage.Code, of step: Step, _ transaction: MigrationTransaction) throws -> Int64 {
        let store = try transaction.store()
        let first = store.capturesChanges ? try store.lastChange() : 0
        do { try code(store) } catch let error as SQLiteError where error.code ~= .full || error.code ~= .interrupted {
            // No fault of the code's.
            throw error
        } catch { throw StageFailure(stage: step.name, error: error) }
        return store.capturesChanges ? try store.lastChange() - first : 0
    }

    // MARK: What is to be done

    /// The steps from a shape to the wanted one; none where it is that.
    /// - Throws: `UpgradeRefusal`, and what the plan throws.
    package func steps(from held: Schema) throws -> [Step] {
        // A step takes the shapes as they are declared: their original names are its hints.
        guard !wanted.isSameShape(as: held) else { return [] }
        guard let plan = try plan?(held) else {
            try checkDirection(from: held)
            let change = try change(from: held, to: wanted, .lightweight(supplying: Set(supplied.map(\.name))))
            return [Step(change, name: "\(held.version) → \(wanted.version)", supplied: supplied)]
        }
        guard let start = plan.version(of: held) else { throw unknown(held, plan) }
        guard start < plan.target else { throw UpgradeRefusal.isNewer(found: "is of \(plan.versions[start].name)", plan: plan.name) }
        var shape = held
        return try plan.stages(from: start, to: plan.target).map { stage in
            let kind: SchemaChange.Kind =
                stage.isCustom ? .custom : .lightweight(discarding: stage.discarded, supplying: Set(stage.supplied.map(\.name)))
            let change = try change(from: shape, to: plan.versions[stage.to].shape, kind)
            shape = change.to
            return Step(change, name: stage.name, before: stage.before, after: stage.after, supplied: stage.supplied, codeLines: stage.codeLines)
        }
    }

    private func change(from held: Schema, to wanted: Schema, _ kind: SchemaChange.Kind) throws(UpgradeRefusal) -> SchemaChange {
        do { return try SchemaChange(from: held, to: wanted, kind: kind) } catch { throw .step(error) }
    }

    // MARK: What is refused

    private func checkDirection(from held: Schema) throws {
        guard wanted.version <= held.version else { return }
        if wanted.version < held.version { throw UpgradeRefusal.isNewer(found: "is of version \(held.version)", plan: nil) }
        if try Store.hasLeft(wanted.adopting(wireNamesOf: held), at: path) {
            throw UpgradeRefusal.isNewer(found: "had the shape of this program's classes once, and was migrated to another", plan: nil)
        }
    }

    private func unknown(_ held: Schema, _ plan: UpgradePlan) -> UpgradeRefusal {
        if held.version > plan.versions[plan.target].shape.version { return .isNewer(found: "is of version \(held.version)", plan: plan.name) }
        let differences = plan.versions.map { SchemaDifference(from: held, to: $0.shape.adopting(wireNamesOf: held)) }
        let nearest = differences.indices.min { differences[$0].lines.count < differences[$1].lines.count } ?? 0
        return .unknownShape(plan: plan.name, nearest: plan.versions[nearest].name, difference: differences[nearest])
    }
}
