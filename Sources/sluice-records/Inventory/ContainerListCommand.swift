import SluiceCommandLine
import SluiceRecordService
import SluiceRecords

/// `sluice-records container list`: what is kept for each app.
struct ContainerListCommand: AsynchronousCommand {
    static let json = Flag("json", help: "Print one JSON object per container and environment.")
    static let declaration = Declaration(
        "list", "Show the containers that are served.", discussion: "A container is there as soon as a token was issued for it.",
        parameters: [json.declaration, Shared.data.declaration, Shared.storage.declaration], exitCodes: [(.noInput, "There is no service in the data directory.")])

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    private struct Row: Encodable {
        let container: String
        let environment: String
        var users = 0
        var records = 0
        var files = 0
        var bytes: Int64 = 0
    }

    func run(_ console: Console) async throws -> ExitCode {
        let storage = try arguments.place.open()
        var rows: [String: Row] = [:]
        for token in try await storage.tokens() {
            rows["\(token.container) \(token.environment.rawValue)"] = Row(container: token.container, environment: token.environment.rawValue)
        }
        try await storage.forEachDatabase { database in
            let key = "\(database.container) \(database.environment)"
            var row = rows[key] ?? Row(container: database.container, environment: database.environment)
            row.users += 1
            row.records += database.records
            row.files += database.files
            row.bytes += database.bytes
            rows[key] = row
        }
        await storage.close()
        let sorted = rows.sorted { $0.key < $1.key }.map(\.value)
        if arguments.isSet(Self.json) {
            for row in sorted { try console.printJSON(row) }
            return .success
        }
        var table = Table([
            .init("CONTAINER"), .init("ENVIRONMENT"), .init("USERS", isRightAligned: true), .init("RECORDS", isRightAligned: true),
            .init("FILES", isRightAligned: true), .init("BYTES", isRightAligned: true),
        ])
        for row in sorted { table.append([row.container, row.environment, "\(row.users)", "\(row.records)", "\(row.files)", "\(row.bytes)"]) }
        for line in table.lines { console.printLine(line) }
        return .success
    }
}

extension RecordStorage {
    /// Goes through all databases, some at a time.
    func forEachDatabase(_ body: (DatabaseSummary) throws -> Void) async throws {
        let batch = 200
        var last: DatabaseID?
        while true {
            let databases = try await databases(after: last, limit: batch)
            for database in databases { try body(database) }
            guard let end = databases.last, databases.count == batch else { return }
            last = end.database
        }
    }

    /// The database that three options name.
    /// - Throws: `InventoryError` where there is none.
    func database(of user: String, _ container: String, _ environment: String) async throws -> DatabaseSummary {
        var found: DatabaseSummary?
        try await forEachDatabase { database in
            if database.user == user, database.container == container, database.environment == environment { found = database }
        }
        guard let found else {
            throw InventoryError(description: "there is no user '\(user)' in \(container), \(environment); see: sluice-records user list")
        }
        return found
    }
}

/// What a command names is not there.
struct InventoryError: Error, CustomStringConvertible, ExitCodeProviding {
    let description: String
    var exitCode: ExitCode { .noInput }
}
