package import SluiceCommandLine
import SluicePostgreSQL
import SluiceRecordService
package import SluiceSQLite

/// `sluice-records backup`: database and files of one moment, as a data directory of its own.
struct BackupCommand: SynchronousCommand {
    static let to = Parameter<String>.option("to", value: "DIRECTORY", isRequired: true, help: "The copy; it must not be there yet.")
    static let declaration = Declaration(
        "backup", "Copy a service's data.",
        discussion: """
            The service may run meanwhile. The copy is checked, and complete when the command ends; a service can be started on it.
            Files that never change are linked where the copy is on the same disk: take it to another one.
            What is on a PostgreSQL server is copied with PostgreSQL's own tools.
            """,
        parameters: [to.declaration] + Shared.place,
        exitCodes: [
            (.noInput, "There is no service in the data directory."), (.cannotCreate, "The copy is there already."),
            (.unavailable, "The rows are on a PostgreSQL server."), (.inputOutput, "It cannot be written, or what is copied is damaged."),
        ])

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func run(_ console: Console) throws -> ExitCode {
        if let target = try arguments.place.target {
            console.report(
                """
                sluice-records: \(target.text) is backed up with PostgreSQL's own tools: pg_dump, or a base backup with its log. Copy the files of records
                after it: cp -a \(arguments.required(Shared.data))/assets. Once it is restored, run: sluice-records new-epoch --storage \(target.text)
                """)
            return .unavailable
        }
        let count = try DataDirectory(path: arguments.required(Shared.data)).backUp(to: arguments.required(Self.to))
        console.report("copied the database and \(count) files")
        console.printLine(arguments.required(Self.to))
        return .success
    }
}

extension DatabaseCopyFailure: ExitCodeProviding {
    package var exitCode: ExitCode { .inputOutput }
}
