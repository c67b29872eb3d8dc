import SluiceCommandLine

let program = Program(
    "sluice-glance", summary: "Prints what is in a group container. Never syncs, writes or migrates; needs only permission to read.",
    commands: [.command(ListCommand.self), .command(CountCommand.self), .command(GetCommand.self), .command(StatusCommand.self)])

program.run(Array(CommandLine.arguments.dropFirst()), console: .standard).exit()
