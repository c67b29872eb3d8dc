import SluiceCommandLine
import SluiceRecordService
import SluiceRecords

/// `sluice-records user list`: who there is.
struct UserListCommand: AsynchronousCommand {
    static let json = Flag("json", help: "Print one JSON object per user.")
    static let declaration = Declaration(
        "list", "Show the users, and whether a token lets them in.", parameters: [json.declaration, Shared.data.declaration, Shared.storage.declaration],
        exitCodes: [(.noInput, "There is no service in the data directory.")])

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    private struct Row: Encodable {
        let user: String
        let userRecordName: String
        let container: String
        let environment: String
        let tokens: Int
        let bytes: Int64
    }

    func run(_ console: Console) async throws -> ExitCode {
        let storage = try arguments.place.open()
        let now = StorageEnvironment.system.now()
        let tokens = try await storage.tokens().filter { !$0.isRevoked && $0.expires ?? .max > now }
        var rows: [Row] = []
        try await storage.forEachDatabase { database in
            let count = tokens.count {
                $0.user == database.user && $0.container == database.container && $0.environment.rawValue == database.environment
            }
            rows.append(
                Row(
                    user: database.user, userRecordName: database.userRecordName, container: database.container, environment: database.environment,
                    tokens: count, bytes: database.bytes))
        }
        await storage.close()
        if arguments.isSet(Self.json) {
            for row in rows { try console.printJSON(row) }
            return .success
        }
        var table = Table([
            .init("USER"), .init("RECORD NAME"), .init("CONTAINER"), .init("ENVIRONMENT"), .init("TOKENS", isRightAligned: true),
            .init("BYTES", isRightAligned: true),
        ])
        for row in rows { table.append([row.user, row.userRecordName, row.container, row.environment, "\(row.tokens)", "\(row.bytes)"]) }
        for line in table.lines { console.printLine(line) }
        return .success
    }
}

/// `sluice-records user revoke`: nobody comes in as this user any more; what the user keeps stays.
struct UserRevokeCommand: AsynchronousCommand {
    static let user = Parameter<String>.option("user", short: "u", value: "NAME", isRequired: true, help: "Whose tokens and keys.")
    static let declaration = Declaration(
        "revoke", "Revoke all tokens and keys of a user.",
        discussion: "Their devices are told to sign in, also by a service that runs. Records stay, and a new token opens them.",
        parameters: [user.declaration, Shared.data.declaration, Shared.storage.declaration, Shared.container.declaration, Shared.environment.declaration],
        exitCodes: [(.noInput, "There is no such user.")])

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func run(_ console: Console) async throws -> ExitCode {
        let storage = try arguments.place.open()
        let (user, container) = (arguments.required(Self.user), arguments.required(Shared.container))
        let environment = arguments.required(Shared.environment)
        _ = try await storage.database(of: user, container, environment.rawValue)
        var count = 0
        for token in try await storage.tokens() where token.user == user && token.container == container && token.environment == environment {
            if try await storage.revokeToken(id: token.id) { count += 1 }
        }
        await storage.close()
        console.report("\(count) tokens were revoked")
        return .success
    }
}
