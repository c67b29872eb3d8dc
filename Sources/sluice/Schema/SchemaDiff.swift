import SluiceCommandLine
import SluiceConfiguration
import SluiceSchema
import SluiceStore

/// `sluice schema diff`: what a store would go through on its way from one schema to another.
struct SchemaDiff: SynchronousCommand {
    private static let old = Parameter<String>.positional(
        "OLD", .one, help: "A store, a schema file, or a folder of versions, whose newest is meant.")
    private static let new = Parameter<String>.positional(
        "NEW", .one, help: "A store or a schema file; or a folder of versions, through all of which the store goes.")
    private static let json = Flag("json", help: "Print each step as one line of JSON.")

    static let declaration = Declaration(
        "diff", "Show what a store would go through.",
        discussion:
            "A line that begins with an exclamation mark loses rows or values; a backup is made before such a step, and before edits.",
        parameters: [old.declaration, new.declaration, json.declaration],
        exitCodes: [
            (.success, "The way was printed; nothing where the shapes are the same."),
            (.data, "Nothing leads there, or a file has faults."),
            (.noInput, "There is no such file."),
        ])

    private let old: String
    private let new: String
    private let printsJSON: Bool

    init(_ arguments: Arguments) {
        old = arguments.required(Self.old)
        new = arguments.required(Self.new)
        printsJSON = arguments.isSet(Self.json)
    }

    private struct Step: Encodable {
        struct Change: Encodable {
            var text: String
            var losesValues: Bool
        }

        var step: String
        var changes: [Change]
        var before: [String]
        var after: [String]
        var backup: Bool
    }

    func run(_ console: Console) throws -> ExitCode {
        do {
            let (from, to) = (try SchemaPath(old), try SchemaPath(new))
            guard let held = from.newest, let wanted = to.newest else { return .success }
            let releases: [SchemaRelease] =
                switch to {
                case .versions(let releases): releases
                case .version(let release): [SchemaRelease(held), release]
                case .store: [SchemaRelease(held), SchemaRelease(wanted)]
                }
            let steps = try ReleaseStep.steps(from: held, through: releases)
            for step in steps { try print(step, console) }
            if steps.isEmpty { console.report("the shapes are the same: nothing happens to a store") }
            return .success
        } catch let error as ConfigurationError {
            for fault in error.faults { console.report(fault.description.printable) }
            return .data
        } catch UpgradeRefusal.step(let refusal) {
            for fault in refusal.faults {
                console.report("\(refusal.from) → \(refusal.to): \(fault.problem): write \(fault.fileAdvice)".printable)
            }
            return .data
        } catch let error as UpgradeRefusal {
            throw SchemaProblem("\(error)", .data)
        }
    }

    private func print(_ step: ReleaseStep, _ console: Console) throws {
        let (before, after) = ((step.stage?.before ?? []).map(\.description), (step.stage?.after ?? []).map(\.description))
        if printsJSON {
            let changes = step.changes.map { Step.Change(text: $0.text, losesValues: $0.losesValues) }
            return try console.printJSON(Step(step: step.name, changes: changes, before: before, after: after, backup: step.mayLoseValues))
        }
        console.printLine("\(step.name)\(step.mayLoseValues ? ", after a backup" : "")")
        for edit in before { console.printLine("  before: \(edit)".printable) }
        for change in step.changes { console.printLine("\(change.losesValues ? "! " : "  ")\(change.text)".printable) }
        for edit in after { console.printLine("  after: \(edit)".printable) }
    }
}
