import Foundation
import SluiceCommandLine
import SluiceRecordService

/// `sluice-records gc`: what a service does every hour, and its look at every file, now.
struct GarbageCommand: AsynchronousCommand {
    static let grace = Parameter<Duration>.option(
        "grace", value: "DURATION", default: "24h", help: "How long a file may have been without a record; not less than an hour.")
    static let declaration = Declaration(
        "gc", "Remove what is past its time.",
        discussion: """
            Forgets expired operation ids and tombstones, and removes files that no record refers to. A running service does
            this by itself every hour, and may run meanwhile.
            """,
        parameters: [grace.declaration, Shared.data.declaration, Shared.storage.declaration], exitCodes: [(.noInput, "There is no service in the data directory.")])

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func validate() throws(UsageError) {
        // Between an upload and its record, and while a download URL is good, a file has to stay.
        guard arguments.required(Self.grace) >= .seconds(3_600) else { throw UsageError("an hour is the least", argument: "--grace") }
    }

    func run(_ console: Console) async throws -> ExitCode {
        let place = try arguments.place
        let storage = try place.open()
        let collector = AssetCollector(
            storage: storage, store: try place.assets(of: storage, isServed: true), environment: .system, grace: arguments.required(Self.grace))
        try await storage.prune()
        let count = try await collector.collect() + collector.sweep()
        await storage.close()
        console.report("\(count) files were removed")
        return .success
    }
}
