import Foundation
import SluiceCommandLine
import SluiceStore

/// `sluice backup`: copies a store now, and checks the copy. `sluice backup list`: which copies there are.
struct Backup: SynchronousCommand {
    private static let words = Parameter<String>.positional(
        "STORE", .any, help: "`list` shows the backups there are. Then, or alone: a store's file,\ninstead of an account's.")
    private static let counts = Flag("counts", help: "With `list`: also count the rows of each entity.")
    private static let json = Flag("json", help: "Print each backup as one line of JSON.")

    static let declaration = Declaration(
        "backup", "Copy a store, or list the copies there are.",
        discussion: """
            A coordinator and other programs may use the store meanwhile. The copy lies beside it, in STORE.backups, and is checked before it
            gets its name. The last \(StoreBackup.keptCount) that were made by this command are kept, and as many that were made before
            migrations; those that a restore made stay until somebody removes them.
            """,
        parameters: [
            words.declaration, AccountOption.account.declaration, AccountOption.config.declaration, counts.declaration, json.declaration,
        ],
        exitCodes: [
            (.success, "The copy is made, or every copy is sound."), (.data, "The store is damaged, or with `list` a copy is."),
            (.noInput, "There is no such store."), (.inputOutput, "The copy could not be made."),
        ])

    private let option: StoreOption
    private let surplus: String?
    private let isListing: Bool
    private let counts: Bool
    private let printsJSON: Bool

    init(_ arguments: Arguments) {
        var words = arguments.values(of: Self.words)[...]
        isListing = words.first == "list"
        if isListing { words.removeFirst() }
        option = StoreOption(arguments, path: words.first)
        surplus = words.dropFirst().first
        counts = arguments.isSet(Self.counts)
        printsJSON = arguments.isSet(Self.json)
    }

    func validate() throws(UsageError) {
        if let surplus { throw UsageError("one store at a time", argument: surplus) }
        if counts, !isListing { throw UsageError("rows are counted with `list`", argument: "--counts") }
    }

    func run(_ console: Console) throws -> ExitCode {
        let store = try option.store()
        return isListing ? try list(store.path, console) : try make(store.path, store.name, console)
    }

    private func make(_ path: String, _ name: String, _ console: Console) throws -> ExitCode {
        guard FileManager.default.fileExists(atPath: path) else {
            console.report("\(name) has no store at \(path)")
            return .noInput
        }
        let before = try StoreBackup.all(of: path)
        let backup: StoreBackup
        do { backup = try StoreBackup.make(of: path, label: StoreBackup.Kind.manual.rawValue) } catch let failure as BackupFailure {
            console.report("\(failure)".printable)
            return StoreExamination(ofStoreAt: path, isDeep: true).faults.isEmpty ? .inputOutput : .data
        }
        let after = Set(try StoreBackup.all(of: path))
        for gone in before where !after.contains(gone) { console.report("removed the older backup \(gone.name)") }
        if printsJSON { try console.printJSON(BackupLine(backup, counts: false)) } else { console.printLine(backup.path) }
        return .success
    }

    private func list(_ path: String, _ console: Console) throws -> ExitCode {
        let lines = try StoreBackup.all(of: path).map { BackupLine($0, counts: counts) }
        if printsJSON { for line in lines { try console.printJSON(line) } } else { print(lines, console) }
        if lines.isEmpty { console.report("\(path) has no backup") }
        return lines.contains { $0.fault != nil } ? .data : .success
    }

    private func print(_ lines: [BackupLine], _ console: Console) {
        guard !lines.isEmpty else { return }
        var table = Table([
            .init("BACKUP"), .init("MADE"), .init("WHY"), .init("SCHEMA"), .init("BYTES", isRightAligned: true), .init("STATE"),
        ])
        for line in lines {
            table.append([line.name, line.made ?? "", line.kind, line.schema ?? "", "\(line.bytes)", (line.fault ?? "sound").printable])
        }
        for line in table.lines { console.printLine(line) }
        for line in lines {
            for (entity, count) in (line.rows ?? [:]).sorted(by: { $0.key < $1.key }) {
                console.printLine("\(line.name): \(entity.printable) \(count)")
            }
        }
    }
}

/// One backup as it is printed; keys are only added.
private struct BackupLine: Encodable {
    let name: String
    let path: String
    let kind: String
    let made: String?
    let schema: String?
    let bytes: Int
    let fault: String?
    let rows: [String: Int]?

    init(_ backup: StoreBackup, counts: Bool) {
        let details = backup.details()
        name = backup.name
        path = backup.path
        kind = backup.kind.rawValue
        made = backup.date?.formatted(.iso8601)
        schema = details.schemaVersion
        bytes = details.byteCount
        fault = details.fault
        // Of one that cannot be read the state says why.
        rows = counts ? try? backup.rowCounts() : nil
    }
}
