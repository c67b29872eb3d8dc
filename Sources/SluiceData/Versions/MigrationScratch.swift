// What must pass between the code of two halves of a stage, or of two stages: each sees the rows of one version only, and models are over with
// the half that fetched them.

/// The scratch store of one migration: in memory, gone with the migration, whatever becomes of that. Used on the migration's thread.
final class MigrationScratch {
    private var contexts: [Set<ObjectIdentifier>: ModelContext] = [:]

    fileprivate func context(for types: [any PersistentModel.Type]) throws -> ModelContext {
        let key = Set(types.map(ObjectIdentifier.init))
        if let known = contexts[key] { return known }
        let schema = Schema(types)
        let configuration = ModelConfiguration("scratch", schema: schema, isStoredInMemoryOnly: true, cloudKitDatabase: .none)
        let context = ModelContext(try ModelContainer(for: schema, configurations: configuration))
        contexts[key] = context
        return context
    }
}

extension ModelContext {
    /// In the code of a migration's stage: a context over a store that belongs to this migration alone, for what must pass from one half of a
    /// stage to the other, or to a later stage.
    ///
    ///     willMigrate: { context in
    ///         let scratch = try context.scratch(for: OldPrice.self)
    ///         for item in try context.fetch(FetchDescriptor<SchemaV1.Item>()) { scratch.insert(OldPrice(item.id, item.price)) }
    ///     }
    ///
    /// The same classes get the same context, with what was left unsaved in it. The store lies in memory, is never part of the migrated
    /// one, and is gone when the migration is over. To be used on the thread that runs the stage.
    /// - Parameter types: classes of any schema; those of neither version, as a rule.
    /// - Throws: `SwiftDataError.invalidConfiguration` outside a migration's stage, `.invalidSchema` for classes that contradict themselves.
    public func scratch(for types: any PersistentModel.Type...) throws -> ModelContext {
        guard let migrationScratch else {
            throw SwiftDataError.invalidConfiguration.because(
                "a scratch store is there in the code of a migration's stage only: ask the context that the stage was given")
        }
        return try migrationScratch.context(for: types)
    }
}
