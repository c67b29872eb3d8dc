import SluiceCommandLine
import SluiceRecordService

/// `sluice-records stats`: what each user keeps.
struct StatsCommand: AsynchronousCommand {
    static let json = Flag("json", help: "Print one JSON object per user, with their zones.")
    static let declaration = Declaration(
        "stats", "Show what each user keeps.", discussion: "Counts rows, so it takes a while on a large service; the service may run meanwhile.",
        parameters: [json.declaration, Shared.data.declaration, Shared.storage.declaration], exitCodes: [(.noInput, "There is no service in the data directory.")])

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func run(_ console: Console) async throws -> ExitCode {
        let storage = try arguments.place.open()
        var table = Table([
            .init("USER"), .init("CONTAINER"), .init("ENVIRONMENT"), .init("ZONES", isRightAligned: true), .init("RECORDS", isRightAligned: true),
            .init("FILES", isRightAligned: true), .init("BYTES", isRightAligned: true),
        ])
        try await storage.forEachDatabase { database in
            if arguments.isSet(Self.json) { try console.printJSON(Row(database)) }
            table.append([
                database.user, database.container, database.environment, "\(database.zones.count)", "\(database.records)", "\(database.files)",
                "\(database.bytes)",
            ])
        }
        await storage.close()
        if !arguments.isSet(Self.json) { for line in table.lines { console.printLine(line) } }
        return .success
    }

    private struct Row: Encodable {
        struct Zone: Encodable {
            let name: String
            let records: Int
            let tombstones: Int
            let bytes: Int64
        }

        let user: String
        let userRecordName: String
        let container: String
        let environment: String
        let bytes: Int64
        let files: Int
        let fileBytes: Int64
        let zones: [Zone]

        init(_ summary: DatabaseSummary) {
            user = summary.user
            userRecordName = summary.userRecordName
            container = summary.container
            environment = summary.environment
            bytes = summary.bytes
            files = summary.files
            fileBytes = summary.fileBytes
            zones = summary.zones.map { Zone(name: $0.name, records: $0.records, tombstones: $0.tombstones, bytes: $0.bytes) }
        }
    }
}
