package import SluiceCommandLine
import SluicePostgreSQL
package import SluiceRecordService

/// `sluice-records restore`: a backup in the place of what a service has.
struct RestoreCommand: AsynchronousCommand {
    static let backup = Parameter<String>.positional("BACKUP", help: "What `sluice-records backup` made.")
    static let declaration = Declaration(
        "restore", "Put a backup in a service's place.",
        discussion: """
            Stop the service first, and run this as its user. The backup is copied, checked to the last byte and given a timeline of its own, by which every
            device notices and sends what it lacks; it stays as it is. What the directory held goes to `before-restore-…` in it, which only a person removes.
            Cut off at any moment, it is run again. What is on a PostgreSQL server is restored with PostgreSQL's own tools.
            """,
        parameters: [backup.declaration] + Shared.place,
        exitCodes: [
            (.noInput, "There is no such backup."), (.temporaryFailure, "A process serves the directory."),
            (.data, "The backup is damaged; all faults are printed."), (.unavailable, "The rows are on a PostgreSQL server."),
            (.inputOutput, "The directory cannot be used."),
        ])

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func run(_ console: Console) async throws -> ExitCode {
        if let target = try arguments.place.target {
            console.report(
                """
                sluice-records: \(target.text) is restored with PostgreSQL's own tools, and the files of records by copying them back. Then run: \
                sluice-records new-epoch --storage \(target.text)
                """)
            return .unavailable
        }
        do {
            let restored = try await DataDirectory(path: arguments.required(Shared.data)).restore(from: DataDirectory(path: arguments.required(Self.backup)))
            let report = restored.report
            console.report("restored \(report.databases) databases, \(report.records) records and \(report.files) files")
            if let kept = restored.kept { console.report("what was there before is in \(kept)") }
            return .success
        } catch let damage as BackupDamage {
            for fault in damage.faults { console.printLine(fault) }
            throw damage
        }
    }
}

extension BackupDamage: ExitCodeProviding {
    package var exitCode: ExitCode { .data }
}
