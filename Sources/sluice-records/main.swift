import Foundation
import SluiceCommandLine

let program = Program(
    "sluice-records", summary: "Hosts records for Sluice and other clients of CloudKit Web Services.",
    commands: [
        .command(InitCommand.self),
        .command(ServeCommand.self),
        .command(DevCertCommand.self),
        .command(StatsCommand.self),
        .command(CheckCommand.self),
        .command(GarbageCommand.self),
        .command(BackupCommand.self),
        .group(
            name: "token", summary: "Look after the tokens that clients use.",
            [.command(TokenIssueCommand.self), .command(TokenListCommand.self), .command(TokenRevokeCommand.self)]),
    ])

await program.runAwaiting(Array(CommandLine.arguments.dropFirst()), console: .standard).exit()
