import SluiceCommandLine
import SluiceRecordService

/// `sluice-records check`: whether everything that is kept is whole and fits together.
struct CheckCommand: AsynchronousCommand {
    static let quick = Flag("quick", help: "Look at the sizes of files only, not at their bytes.")
    static let declaration = Declaration(
        "check", "Look for damage.", discussion: "Reads everything and changes nothing; the service may run meanwhile. Prints one line per fault.",
        parameters: [quick.declaration, Shared.data.declaration, Shared.storage.declaration],
        exitCodes: [(.data, "Something is damaged or does not fit together."), (.noInput, "There is no service in the data directory.")])

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func run(_ console: Console) async throws -> ExitCode {
        let place = try arguments.place
        let storage = try place.open()
        let check = ServiceCheck(storage: storage, store: try place.assets(of: storage, isServed: true))
        let report = try await check.run(readsFiles: !arguments.isSet(Self.quick))
        await storage.close()
        for fault in report.faults { console.printLine(fault) }
        let looked = "\(report.databases) databases, \(report.records) records and \(report.files) files"
        console.report(report.faults.isEmpty ? "nothing is wrong with \(looked)" : "\(report.faults.count) faults in \(looked)")
        return report.faults.isEmpty ? .success : .data
    }
}
