import Foundation
import SluiceCommandLine
import SluiceDigest
import SluiceRecordService
import SluiceRecords

/// `sluice-records key list`: what server-to-server keys there are.
struct KeyListCommand: AsynchronousCommand {
    static let json = Flag("json", help: "Print one JSON object per key.")
    static let declaration = Declaration(
        "list", "Show the server-to-server keys.", parameters: [json.declaration] + Shared.place,
        exitCodes: [(.noInput, "There is no service in the data directory.")])

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func run(_ console: Console) async throws -> ExitCode {
        let storage = try arguments.place.open()
        let now = StorageEnvironment.system.now()
        let rows = try await storage.tokens().compactMap { Row($0, now: now) }
        await storage.close()
        if arguments.isSet(Self.json) {
            for row in rows { try console.printJSON(row) }
            return .success
        }
        var table = Table([
            .init("ID", isRightAligned: true), .init("KEY"), .init("USER"), .init("HOLDER"), .init("CONTAINER"), .init("ENVIRONMENT"), .init("STATE"),
            .init("EXPIRES"),
        ])
        for row in rows {
            table.append(["\(row.id)", row.key, row.user, row.holder, row.container, row.environment, row.state, row.expires ?? "never"])
        }
        for line in table.lines { console.printLine(line) }
        return .success
    }

    /// One line of the list.
    private struct Row: Encodable {
        let id: Int64
        let key: String
        let user: String
        let holder: String
        let container: String
        let environment: String
        let state: String
        let created: String
        let expires: String?

        /// Nil for a token.
        init?(_ token: TokenSummary, now: Int64) {
            guard let identifier = token.keyIdentifier else { return nil }
            id = token.id
            key = identifier.hexadecimal
            user = token.user ?? ""
            holder = token.holder
            container = token.container
            environment = token.environment.rawValue
            state = token.state(at: now)
            created = TokenSummary.text(ofTime: token.created)
            expires = token.expires.map(TokenSummary.text(ofTime:))
        }
    }
}
