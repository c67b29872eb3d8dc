import Foundation
import SluiceCommandLine
import SluiceConfiguration
import SluiceSchema

/// `sluice schema check`: whether every store that is out there finds a way to the newest version.
struct SchemaCheck: SynchronousCommand {
    private static let released = Parameter<String>.positional("RELEASED", .one, help: "The folder of versions, committed.")
    private static let current = Parameter<String>.positional(
        "CURRENT", .optional,
        help: "A file or folder with the version that is to come.\nDefault: the newest in RELEASED, as long as it is not noted as released."
    )
    private static let record = Flag(
        "record", help: "Note every version of RELEASED as released, in released.sums beside them.\nThey must not change from then on.")
    private static let json = Flag("json", help: "Print each fault as one line of JSON: file, line, column, found, expected, suggestion.")

    static let declaration = Declaration(
        "check", "Compare the versions of a schema with what was released.",
        discussion: """
            For continuous integration. A fault is: a released version that was edited or is missing, two versions of one shape, a rename
            without wireName, a required property without a default, another type, a stage that does not run. Each comes with what to write
            instead.
            """,
        parameters: [released.declaration, current.declaration, record.declaration, json.declaration],
        exitCodes: [
            (.success, "No fault was found."), (.data, "At least one fault was found."),
            (.cannotCreate, "released.sums cannot be written."),
        ])

    private let released: String
    private let current: String?
    private let isRecording: Bool
    private let printsJSON: Bool

    init(_ arguments: Arguments) {
        released = arguments.required(Self.released)
        current = arguments.value(of: Self.current)
        isRecording = arguments.isSet(Self.record)
        printsJSON = arguments.isSet(Self.json)
    }

    func validate() throws(UsageError) {
        if isRecording, let current { throw UsageError("--record notes what is in RELEASED alone", argument: current) }
    }

    func run(_ console: Console) throws -> ExitCode {
        let folder = URL(filePath: released).standardizedFileURL.path
        var discipline: ReleaseDiscipline
        do throws(ConfigurationError) {
            discipline = try ReleaseDiscipline(
                released: folder, current: current.map { URL(filePath: $0).standardizedFileURL.path }, isRecording: isRecording)
        } catch {
            return try print(error.faults, console)
        }
        if isRecording, discipline.faults.isEmpty {
            do {
                let versions = try discipline.record().map(\.description)
                console.report(versions.isEmpty ? "nothing new is released" : "noted as released: \(versions.joined(separator: ", "))")
            } catch {
                throw SchemaProblem("released.sums cannot be written: \(error.localizedDescription)", .cannotCreate)
            }
        }
        let exitCode = try print(discipline.faults, console)
        let count = discipline.faults.count
        console.report(
            "\(discipline.released.count) versions read, \(count == 0 ? "no fault" : count == 1 ? "1 fault" : "\(count) faults") found")
        return exitCode
    }

    private func print(_ faults: [ConfigurationFault], _ console: Console) throws -> ExitCode {
        for fault in faults {
            if printsJSON { try console.printJSON(fault) } else { console.printLine(fault.description.printable) }
        }
        return faults.isEmpty ? .success : .data
    }
}
