import SluiceCommandLine
import SluiceRecordService

/// `sluice-records key revoke`: ends a key at once, also while the service runs.
struct KeyRevokeCommand: AsynchronousCommand {
    static let id = Parameter<Int>.positional("ID", help: "The number that `key list` shows.")
    static let declaration = Declaration(
        "revoke", "End a key.", parameters: [id.declaration] + Shared.place,
        exitCodes: [(.noInput, "There is no such key, or it was revoked before.")])

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func run(_ console: Console) async throws -> ExitCode {
        let storage = try arguments.place.open()
        let id = Int64(arguments.required(Self.id))
        let isKey = try await storage.tokens().contains { $0.id == id && $0.keyIdentifier != nil }
        let isRevoked = isKey ? try await storage.revokeToken(id: id) : false
        await storage.close()
        if !isRevoked { console.report("sluice-records: there is no key \(id) that could be revoked") }
        return isRevoked ? .success : .noInput
    }
}
