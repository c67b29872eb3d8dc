import SluiceCommandLine
import SluiceRecordService
import SluiceRecords

/// Parameters that name one user's database.
private enum Owner {
    static let user = Parameter<String>.option("user", short: "u", value: "NAME", isRequired: true, help: "Whose zones.")
    static let parameters = [user.declaration, Shared.data.declaration, Shared.storage.declaration, Shared.container.declaration, Shared.environment.declaration]

    static func database(_ arguments: Arguments, in storage: any RecordStorage) async throws -> DatabaseSummary {
        try await storage.database(
            of: arguments.required(user), arguments.required(Shared.container), arguments.required(Shared.environment).rawValue)
    }
}

/// `sluice-records zone list`: what a user keeps in each zone.
struct ZoneListCommand: AsynchronousCommand {
    static let json = Flag("json", help: "Print one JSON object per zone.")
    static let declaration = Declaration(
        "list", "Show the zones of a user.", parameters: [json.declaration] + Owner.parameters, exitCodes: [(.noInput, "There is no such user.")])

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    private struct Row: Encodable {
        let zone: String
        let records: Int
        let tombstones: Int
        let bytes: Int64
    }

    func run(_ console: Console) async throws -> ExitCode {
        let storage = try arguments.place.open()
        let zones = try await Owner.database(arguments, in: storage).zones
        await storage.close()
        if arguments.isSet(Self.json) {
            for zone in zones { try console.printJSON(Row(zone: zone.name, records: zone.records, tombstones: zone.tombstones, bytes: zone.bytes)) }
            return .success
        }
        var table = Table([
            .init("ZONE"), .init("RECORDS", isRightAligned: true), .init("TOMBSTONES", isRightAligned: true), .init("BYTES", isRightAligned: true),
        ])
        for zone in zones { table.append([zone.name, "\(zone.records)", "\(zone.tombstones)", "\(zone.bytes)"]) }
        for line in table.lines { console.printLine(line) }
        return .success
    }
}

/// `sluice-records zone delete`: what a user's own device could do, for a user who asks the operator.
struct ZoneDeleteCommand: AsynchronousCommand {
    static let zone = Parameter<String>.positional("ZONE", .one, help: "The zone's name.")
    static let reason = Parameter<ZoneDeletionReason>.option(
        "reason", value: "REASON", default: "deleted",
        help: """
            What devices are told. deleted: their rows go, and what they have not sent waits for a person there. purged: it is set aside, nothing is
            sent again. encryptedDataReset: they send everything again.
            """)
    static let declaration = Declaration(
        "delete", "Delete a zone of a user, with all its records.",
        discussion: """
            The user's devices are told at once, and keep what they have not sent yet.
            There is no way back but a backup.
            """,
        parameters: [zone.declaration, reason.declaration] + Owner.parameters, exitCodes: [(.noInput, "There is no such user or zone.")])

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func run(_ console: Console) async throws -> ExitCode {
        let storage = try arguments.place.open()
        let database = try await Owner.database(arguments, in: storage)
        let name = arguments.required(Self.zone)
        let operation = ZoneOperation(.delete, ZoneID(name), deletionReason: arguments.required(Self.reason))
        let result = try await storage.modifyZones([operation], in: database.database)[0]
        await storage.close()
        if case .failure(_, let error) = result { throw InventoryError(description: error.reason) }
        let records = database.zones.first { $0.name == name }?.records ?? 0
        console.report("deleted zone \(name) of \(database.user) with \(records) records")
        return .success
    }
}
