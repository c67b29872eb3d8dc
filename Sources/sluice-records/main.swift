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
        .command(RestoreCommand.self),
        .command(NewEpochCommand.self),
        .group(name: "container", summary: "Look at the apps that are served.", [.command(ContainerListCommand.self)]),
        .group(name: "user", summary: "Look after users.", [.command(UserListCommand.self), .command(UserRevokeCommand.self)]),
        .group(name: "zone", summary: "Look after zones.", [.command(ZoneListCommand.self), .command(ZoneDeleteCommand.self)]),
        .group(
            name: "schema", summary: "Look after what records look like.",
            [.command(SchemaShowCommand.self), .command(SchemaDeployCommand.self)]),
        .group(
            name: "token", summary: "Look after the tokens that clients use.",
            [.command(TokenIssueCommand.self), .command(TokenListCommand.self), .command(TokenRevokeCommand.self)]),
        .group(
            name: "key", summary: "Look after the keys with which programs sign their requests.",
            [.command(KeyCreateCommand.self), .command(KeyAddCommand.self), .command(KeyListCommand.self), .command(KeyRevokeCommand.self)]),
    ])

await program.runAwaiting(Array(CommandLine.arguments.dropFirst()), console: .standard).exit()
