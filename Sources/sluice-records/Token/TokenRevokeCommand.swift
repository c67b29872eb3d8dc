import SluiceCommandLine
import SluiceRecordService
import SluiceRecords

/// `sluice-records token revoke`: ends a token at once, also while the service runs.
struct TokenRevokeCommand: AsynchronousCommand {
    static let id = Parameter<Int>.positional("ID", help: "The number that `token list` shows.")
    static let declaration = Declaration(
        "revoke", "End a token.", parameters: [id.declaration, Shared.data.declaration, Shared.storage.declaration],
        exitCodes: [(.noInput, "There is no such token, or it was revoked before.")])

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func run(_ console: Console) async throws -> ExitCode {
        let storage = try arguments.place.open()
        let id = Int64(arguments.required(Self.id))
        let isToken = try await storage.tokens().contains { $0.id == id && $0.keyIdentifier == nil }
        let isRevoked = isToken ? try await storage.revokeToken(id: id) : false
        await storage.close()
        if !isRevoked { console.report("sluice-records: there is no token \(id) that could be revoked") }
        return isRevoked ? .success : .noInput
    }
}
