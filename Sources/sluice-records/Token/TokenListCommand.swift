import Foundation
import SluiceCommandLine
import SluiceRecordService
import SluiceRecords

/// `sluice-records token list`: what tokens there are; never the tokens.
struct TokenListCommand: AsynchronousCommand {
    static let json = Flag("json", help: "Print one JSON object per token.")
    static let declaration = Declaration(
        "list", "Show the tokens that were issued.", parameters: [json.declaration, Shared.data.declaration, Shared.storage.declaration],
        exitCodes: [(.noInput, "There is no service in the data directory.")])

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func run(_ console: Console) async throws -> ExitCode {
        let storage = try arguments.place.open()
        let tokens = try await storage.tokens().filter { $0.keyIdentifier == nil }
        await storage.close()
        let rows = tokens.map { Row($0, now: StorageEnvironment.system.now()) }
        if arguments.isSet(Self.json) {
            for row in rows { try console.printJSON(row) }
            return .success
        }
        var table = Table([
            .init("ID", isRightAligned: true), .init("KIND"), .init("USER"), .init("HOLDER"), .init("CONTAINER"), .init("ENVIRONMENT"),
            .init("STATE"), .init("EXPIRES"),
        ])
        for row in rows {
            table.append([
                "\(row.id)", row.rotation.map { "\(row.kind), \($0)" } ?? row.kind, row.user ?? "", row.holder, row.container, row.environment, row.state, row.expires ?? "never",
            ])
        }
        for line in table.lines { console.printLine(line) }
        return .success
    }

    /// One line of the list.
    private struct Row: Encodable {
        let id: Int64
        let kind: String
        let rotation: String?
        let user: String?
        let holder: String
        let container: String
        let environment: String
        let state: String
        let created: String
        let expires: String?

        init(_ token: TokenSummary, now: Int64) {
            id = token.id
            kind = token.user == nil ? "api" : "user"
            rotation = token.rotation?.rawValue
            user = token.user
            holder = token.holder
            container = token.container
            environment = token.environment.rawValue
            state = token.state(at: now)
            created = TokenSummary.text(ofTime: token.created)
            expires = token.expires.map(TokenSummary.text(ofTime:))
        }
    }
}

extension TokenSummary {
    /// In a word, for lists.
    func state(at now: Int64) -> String { isRevoked ? "revoked" : expires.map { $0 <= now ? "expired" : "valid" } ?? "valid" }

    /// - Parameter milliseconds: since 1970.
    static func text(ofTime milliseconds: Int64) -> String { Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601) }
}
