import SluiceCommandLine

StandardStreams.hold()
StandardStreams.unblockSignals()

let program = Program(
    "sluice-glance", summary: "Prints what is in a group container. Never syncs, writes or migrates; needs only permission to read.",
    environment: [
        ("SLUICE_GROUP", "The group container, where --group is not given."),
        ("XDG_DATA_HOME", "Where the user's containers lie: in sluice/groups below it. Without it, $HOME/.local/share."),
    ],
    commands: [
        .command(ListCommand.self), .command(QueryCommand.self), .command(CountCommand.self), .command(GetCommand.self),
        .command(WatchCommand.self), .command(StatusCommand.self), .completions, .manual,
    ])

program.run(Array(CommandLine.arguments.dropFirst()), console: .standard).exit()
