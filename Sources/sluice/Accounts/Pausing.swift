import SluiceCommandLine
import SluiceCoordinator

/// `sluice pause`: stop syncing an account until `sluice resume`.
struct Pause: AsynchronousCommand {
    static let declaration = Declaration(
        "pause", "Stop syncing an account; its records can be read and changed all the while.",
        discussion: "The pause outlasts a restart of the coordinator.",
        parameters: [AccountOption.account.declaration, AccountOption.config.declaration])

    private let option: AccountOption

    init(_ arguments: Arguments) { option = AccountOption(arguments) }

    func run(_ console: Console) async throws -> ExitCode { try await Pausing.tell(option, "/v1/pause", console) }
}

/// `sluice resume`: sync a paused account again.
struct Resume: AsynchronousCommand {
    static let declaration = Declaration(
        "resume", "Sync a paused account again.", parameters: [AccountOption.account.declaration, AccountOption.config.declaration])

    private let option: AccountOption

    init(_ arguments: Arguments) { option = AccountOption(arguments) }

    func run(_ console: Console) async throws -> ExitCode { try await Pausing.tell(option, "/v1/resume", console) }
}

private enum Pausing {
    private struct Nothing: Encodable {}

    static func tell(_ option: AccountOption, _ path: String, _ console: Console) async throws -> ExitCode {
        let status: AccountStatus = try await option.client().post(path, Nothing())
        console.printLine("\(status.account): \(status.state)")
        return .success
    }
}
