import Foundation
import SluiceCommandLine
import SluiceConfiguration
import SluiceCoordinator
import SluiceSQLite
import SluiceSchema
import SluiceStore

/// `sluice migrate`: what the migration of an account's store would do, or how it goes with a copy. The migration itself is the coordinator's.
struct Migrate: SynchronousCommand {
    private static let plan = Flag("plan", help: "Print what would change and how many rows it is about.")
    private static let dryRun = Flag("dry-run", help: "Migrate a copy, in full, and check it; the copy is removed.")
    private static let json = Flag("json", help: "Print one line of JSON.")

    static let declaration = Declaration(
        "migrate", "Look at what the migration of a store would do.",
        discussion: """
            The store is only read, and its coordinator may run meanwhile. To migrate it, start the coordinator: it does so when it
            opens a store of an earlier version. After a migration that failed, `sluice sync` tries again.
            """,
        parameters: [
            AccountOption.account.declaration, AccountOption.config.declaration, plan.declaration, dryRun.declaration, json.declaration,
        ],
        exitCodes: [
            (.success, "It would succeed, as far as can be told; with --dry-run it did. Or there is nothing to do."),
            (.data, "It is refused, or failed."), (.noInput, "The account has no store yet."),
            (.configuration, "The schema is a program's, which migrates the store itself."), (.inputOutput, "The disk is full, or failed."),
        ])

    private let option: AccountOption
    private let isPlan: Bool
    private let isDryRun: Bool
    private let printsJSON: Bool

    init(_ arguments: Arguments) {
        option = AccountOption(arguments)
        isPlan = arguments.isSet(Self.plan)
        isDryRun = arguments.isSet(Self.dryRun)
        printsJSON = arguments.isSet(Self.json)
    }

    func validate() throws(UsageError) {
        guard isPlan != isDryRun else {
            throw UsageError("say --plan or --dry-run: the migration itself is the coordinator's, when it starts", argument: "migrate")
        }
    }

    func run(_ console: Console) throws -> ExitCode {
        let environment = ConfigurationEnvironment(variables: ProcessInfo.processInfo.environment)
        let account = try AccountPlan(option.configuration(), environment)
        let upgrade: StoreUpgrade?
        do { upgrade = try account.storeUpgrade() } catch let error as CoordinatorError {
            console.report("\(error)".printable)
            return .configuration
        }
        guard let upgrade, FileManager.default.fileExists(atPath: upgrade.path) else {
            console.report("account \(account.name) has no store to migrate")
            return .noInput
        }
        do {
            return isPlan ? try outline(upgrade, console) : try rehearse(upgrade, console)
        } catch {
            return try report(error, account.name, console)
        }
    }

    // MARK: --plan

    private func outline(_ upgrade: StoreUpgrade, _ console: Console) throws -> ExitCode {
        guard let outline = try upgrade.outline() else { return nothing(console) }
        if printsJSON {
            try console.printJSON(outline)
            return .success
        }
        console.printLine("from version \(outline.from) to \(outline.to), in \(outline.stages.count == 1 ? "one stage" : "\(outline.stages.count) stages")")
        for stage in outline.stages {
            console.printLine(stage.name.printable)
            for line in stage.changes + stage.code { console.printLine("  " + line.printable) }
            console.printLine("  " + cost(of: stage))
        }
        let size = outline.byteCount.inMebibytes
        console.printLine(outline.takesBackup ? "the store is backed up first: about \(size) beside it" : "no value is lost, so no backup is taken")
        return .success
    }

    private func cost(of stage: UpgradeOutline.Stage) -> String {
        if stage.isConstantTime { return "takes no time, however many rows there are" }
        let rows = stage.rowCount == 1 ? "1 row" : "\(stage.rowCount) rows"
        switch (stage.rowCount, stage.hasCode) {
        case (0, true): return "runs the stage's code"
        case (0, false): return "builds indexes"
        case (_, true): return "reads or writes \(rows), and runs the stage's code"
        case (_, false): return "reads or writes \(rows)"
        }
    }

    // MARK: --dry-run

    private func rehearse(_ upgrade: StoreUpgrade, _ console: Console) throws -> ExitCode {
        var upgrade = upgrade
        upgrade.report = { event in
            switch event {
            case .began(let place): console.report("stage \(place.number) of \(place.count): \(place.name)".printable)
            case .finished(let place, let changes, let duration):
                let seconds = String(format: "%.1f s", duration / .seconds(1))
                console.report("stage \(place.number) of \(place.count) took \(seconds), \(changes) changes by its code")
            case .backingUp, .copying, .waiting, .working, .committed: break
            }
        }
        var copying: SluiceCommandLine.Progress?
        let rehearsal = try upgrade.rehearse { done, count in
            if copying == nil { copying = SluiceCommandLine.Progress("copying the store, pages", total: count, console: console) }
            copying?.update(done)
            if done == count { copying?.finish(done) }
        }
        guard let rehearsal else { return nothing(console) }
        if printsJSON { try console.printJSON(rehearsal) } else {
            console.printLine(
                "a copy was migrated to version \(rehearsal.version) in \(String(format: "%.1f s", rehearsal.seconds)) and is sound; "
                    + "\(rehearsal.byteCountBefore.inMebibytes) became \(rehearsal.byteCountAfter.inMebibytes)")
        }
        return .success
    }

    // MARK: Outcomes

    private func nothing(_ console: Console) -> ExitCode {
        console.report("the store has the schema's shape: there is nothing to do")
        return .success
    }

    /// A person at a terminal is shown the values that stand in the way; a log is not.
    private func report(_ error: any Error, _ account: String, _ console: Console) throws -> ExitCode {
        let refusal: MigrationRefusal? =
            if case .step(let step)? = error as? UpgradeRefusal { step } else { error as? MigrationRefusal }
        if let refusal {
            for fault in refusal.faults { console.report((console.errors.isTerminal ? fault.detail : fault.description).printable) }
            return .data
        }
        console.report("account \(account): \(error)".printable)
        switch error {
        case let failure as DatabaseCopyFailure:
            if case .damaged = failure.reason { return .data }
            return .inputOutput
        case let error as SQLiteError where error.code ~= .full || error.code ~= .ioError: return .inputOutput
        case is UpgradeRefusal, is StageFailure, is StoreError, is SQLiteError: return .data
        default: throw error
        }
    }
}
