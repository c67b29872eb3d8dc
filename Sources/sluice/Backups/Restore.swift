import Foundation
import Glibc
import SluiceCommandLine
import SluiceStore

/// `sluice restore`: puts a backup in the store's place, and keeps what was there.
struct Restore: SynchronousCommand {
    private static let backup = Parameter<String>.positional("BACKUP", .one, help: "As `sluice backup list` names it, or its path.")
    private static let store = Parameter<String>.positional("STORE", .optional, help: StoreOption.help)
    private static let yes = Flag("yes", short: "y", help: "Do not ask. Needed where nobody can be asked.")
    private static let json = Flag("json", help: "Print what was done as one line of JSON.")

    static let declaration = Declaration(
        "restore", "Put a backup in a store's place.",
        discussion: """
            Stop the coordinator and every program that has the store open first. What the store holds now is kept as a backup of its own, so
            that a restore can be undone by another. A synced store is brought up to date by its next sync: what was deleted meanwhile is
            deleted again.
            """,
        parameters: [
            backup.declaration, store.declaration, AccountOption.account.declaration, AccountOption.config.declaration, yes.declaration,
            json.declaration,
        ],
        exitCodes: [
            (.success, "The store holds what the backup does."),
            (.data, "The backup is damaged, or what is in the store's place is no store."),
            (.noInput, "There is no such backup."), (.inputOutput, "The disk is full, or failed; the store is as it was."),
            (.temporaryFailure, "A program has the store open; it is as it was."), (.noPermission, "The backup is another account's."),
        ])

    private let name: String
    private let option: StoreOption
    private let isConfirmed: Bool
    private let printsJSON: Bool

    init(_ arguments: Arguments) {
        name = arguments.required(Self.backup)
        option = StoreOption(arguments, path: arguments.value(of: Self.store))
        isConfirmed = arguments.isSet(Self.yes)
        printsJSON = arguments.isSet(Self.json)
    }

    func validate() throws(UsageError) {
        guard isConfirmed || isatty(STDIN_FILENO) == 1 else { throw UsageError("say --yes: nobody can be asked here", argument: "restore") }
    }

    func run(_ console: Console) throws -> ExitCode {
        let store = try option.store()
        guard let backup = try find(in: store.path) else {
            console.report("\(store.name) has no backup \(name); see `sluice backup list`")
            return .noInput
        }
        let details = backup.details()
        let date = backup.date?.formatted(.iso8601) ?? "of an unknown date"
        let description = "\(backup.name) (schema \(details.schemaVersion ?? "unknown"), \(date))"
        if !isConfirmed {
            console.errors.write("Replace what \(store.path) holds by \(description)? [y/N] ")
            guard readLine()?.lowercased().hasPrefix("y") == true else {
                console.report("nothing was done")
                return .success
            }
        }
        do { try print(backup.restore(to: store.path), of: description, in: store.path, console) } catch let failure as RestoreFailure {
            console.report("\(failure)".printable)
            return Self.exitCode(failure)
        }
        return .success
    }

    private func find(in store: String) throws -> StoreBackup? {
        if let named = try StoreBackup.all(of: store).first(where: { $0.name == name }) { return named }
        let path = URL(filePath: name).standardizedFileURL.path(percentEncoded: false)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
        return StoreBackup(path: isFolder.boolValue ? "\(path)/\(URL(filePath: store).lastPathComponent)" : path)
    }

    private static func exitCode(_ failure: RestoreFailure) -> ExitCode {
        switch failure.reason {
        case .accountRuns, .inUse: .temporaryFailure
        case .badBackup, .notAStore: .data
        case .otherOwner: .noPermission
        case .diskFull, .notDurable, .system, .failed: .inputOutput
        }
    }

    private struct Line: Encodable {
        let store: String
        let backup: String
        let kept: String?
        let keptIsDamaged: Bool
        let unsent: Int
        let synced: Bool
    }

    private func print(_ result: RestoreResult, of backup: String, in store: String, _ console: Console) throws {
        if printsJSON {
            try console.printJSON(
                Line(
                    store: store, backup: name, kept: result.kept?.path, keptIsDamaged: result.keptIsDamaged, unsent: result.unsentCount,
                    synced: result.isSynced))
            return
        }
        console.printLine("\(store) holds what backup \(backup) does")
        if let kept = result.kept {
            console.printLine("what it held before is kept\(result.keptIsDamaged ? ", damaged as it is," : "") at \(kept.path)")
        }
        if result.unsentCount > 0 {
            console.printLine("\(result.unsentCount) records with changes that were never sent are in that copy only")
        }
        if result.isSynced { console.printLine("the next sync brings everything that was changed and deleted since") }
    }
}
