import Foundation
import SluiceCommandLine
import SluiceConfiguration

/// `sluice config check`: every fault of the configuration at once, one line each.
struct ConfigCheck: SynchronousCommand {
    private static let json = Flag("json", help: "Print each fault as one line of JSON: file, line, column, found, expected, suggestion.")
    private static let paths = Parameter<String>.positional(
        "PATH", .any, help: "Account, schema or record service files, or folders of them;\nwithout one, the folder that the programs use.")

    static let declaration = Declaration(
        "check", "Print every fault of configuration files and start nothing.",
        parameters: [paths.declaration, json.declaration],
        exitCodes: [(.success, "No fault was found."), (.configuration, "At least one fault was found.")])

    private let paths: [String]
    private let printsJSON: Bool

    init(_ arguments: Arguments) {
        paths = arguments.values(of: Self.paths)
        printsJSON = arguments.isSet(Self.json)
    }

    func run(_ console: Console) throws -> ExitCode {
        let environment = ConfigurationEnvironment(variables: ProcessInfo.processInfo.environment)
        let check = ConfigurationCheck.run(paths.isEmpty ? [environment.configurationDirectory] : paths, environment)
        for fault in check.faults {
            if printsJSON { try console.printJSON(fault) } else { console.printLine(fault.description.printable) }
        }
        let count = check.faults.count
        console.report("\(check.files.count) files read, \(count == 0 ? "no fault" : count == 1 ? "1 fault" : "\(count) faults") found")
        return check.faults.isEmpty ? .success : .configuration
    }
}
