import SluiceStore

/// Runs the code of a custom stage: a context over the rows of one version, inside the migration's transaction.
struct StageContext {
    let configuration: ModelConfiguration
    let types: [any PersistentModel.Type]
    let schema: Schema
    let scratch: MigrationScratch

    /// What the code changed is saved when it returns; models that it kept are over then.
    func run(_ body: @Sendable (ModelContext) throws -> Void, on store: Store) throws {
        let rows = try OpenStore(migrating: store, configuration)
        defer { rows.close() }
        let container = try ModelContainer(
            schema: schema, migrationPlan: nil, configurations: [configuration], stores: [(store: rows, types: types)])
        let context = ModelContext(container)
        context.author = "migration"
        context.migrationScratch = scratch
        try body(context)
        if context.hasChanges { try context.save() }
    }
}
