import SluiceCommandLine

/// The `sluice` program: one file per command, in a folder per group of commands.
@main
enum SluiceProgram {
    static let program = Program(
        "sluice", summary: "Looks after accounts, their stores and their configuration.",
        commands: [
            .command(Status.self), .command(Sync.self), .command(Pause.self), .command(Resume.self), .command(Put.self), .command(Get.self), .command(Delete.self), .command(Query.self),
            .command(History.self), .command(Conflicts.self), .command(Import.self), .command(Backup.self), .command(Restore.self), .command(Doctor.self),
            .command(Migrate.self),
            .group(
                name: "outbox", summary: "Look after changes that were not sent yet.",
                [.command(OutboxList.self), .command(OutboxShow.self), .command(OutboxRetry.self), .command(OutboxDrop.self)]),
            .group(
                name: "zone", summary: "Say what becomes of a zone that was deleted on the service.",
                [.command(ZoneRecreate.self), .command(ZoneForget.self)]),
            .group(name: "config", summary: "Look at configuration files.", [.command(ConfigCheck.self)]),
            .group(
                name: "defaults", summary: "Small values by key: for helpers and shells, or for all devices.",
                [.command(DefaultsSet.self), .command(DefaultsGet.self), .command(DefaultsList.self), .command(DefaultsRemove.self)]),
            .group(
                name: "projection", summary: "Look at what fills the group containers.",
                [.command(ProjectionExplain.self), .command(ProjectionRebuild.self)]),
            .group(
                name: "schema", summary: "Look after the versions of a schema.",
                [.command(SchemaCheck.self), .command(SchemaDiff.self), .command(SchemaExport.self), .command(SchemaFixture.self)]),
            .completions, .manual,
        ])

    static func main() async {
        await program.runAwaiting(Array(CommandLine.arguments.dropFirst()), console: .standard).exit()
    }
}
