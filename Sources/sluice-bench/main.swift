import Foundation
import SluiceCommandLine

let program = Program(
    "sluice-bench", summary: "Measures Sluice beside what one would write by hand, in one run, and checks the results.",
    commands: [
        .command(ModelsCommand.self), .command(MigrateCommand.self), .command(HelperCommand.self), .command(StorageCommand.self), .command(ServiceCommand.self),
        .command(SyncCommand.self),
    ])

await program.runAwaiting(Array(CommandLine.arguments.dropFirst()), console: .standard).exit()
