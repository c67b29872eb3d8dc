public import Foundation

/// The store of this module behind the protocol of custom stores, for stores that build on it: they hand requests on and add their own.
///
/// A container with a `ModelConfiguration` does not go through it: there rows become models without snapshots in between.
public final class DefaultStore: DataStore, DataStoreBatching, HistoryProviding {
    public typealias Configuration = ModelConfiguration
    public typealias Snapshot = DefaultSnapshot
    public typealias HistoryType = DefaultHistoryTransaction

    public let configuration: ModelConfiguration
    public let schema: Schema
    public let identifier: String
    /// The configuration's name.
    public var name: String { configuration.name }
    let container: ModelContainer

    /// - Throws: `SwiftDataError.invalidConfiguration` where the configuration has no schema; whatever opening a container throws.
    public init(_ configuration: ModelConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        guard let schema = configuration.schema else {
            throw SwiftDataError.invalidConfiguration.because(
                "configuration \(configuration.name) has no schema: a store that is made without a container must be told its models")
        }
        self.configuration = configuration
        self.schema = schema
        container = try ModelContainer(for: schema, migrationPlan: migrationPlan, configurations: [configuration])
        identifier = container.storeIdentifier(forConfigurationNamed: configuration.name) ?? ""
    }

    /// One context for each request: nothing of one is in the way of another.
    func context(_ editingState: EditingState) -> ModelContext {
        let context = ModelContext(container)
        context.author = editingState.author
        return context
    }

    // MARK: Reading

    public func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
        let context = context(request.editingState)
        return try withExtendedLifetime(context) {
            let models = try context.fetch(request.descriptor)
            let snapshots = models.map(Self.snapshot)
            // A snapshot that lacks what could not be read would write the lack when it is saved.
            if let mistake = context.core.mistakes.first { throw mistake }
            return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: snapshots)
        }
    }

    public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
        try context(request.editingState).fetchCount(request.descriptor)
    }

    public func fetchIdentifiers<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier] {
        try context(request.editingState).fetchIdentifiers(request.descriptor)
    }

    static func snapshot<Model: PersistentModel>(of model: Model) -> DefaultSnapshot {
        let data = ContextBackingData(model)
        return DefaultSnapshot(data.identifier, values: data.snapshotValues)
    }

    // MARK: Writing

    public func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
        try context(request.editingState).delete(model: T.self, where: request.predicate, includeSubclasses: request.includeSubclasses)
    }

    public func erase() throws { try container.erase() }

    public func save(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        let context = context(request.editingState)
        return try withExtendedLifetime(context) { try SnapshotSave(request, in: context, of: identifier).run() }
    }

    // MARK: History

    public func fetchHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws -> [DefaultHistoryTransaction] {
        try ModelContext(container).fetchHistory(descriptor)
    }

    public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
        try ModelContext(container).deleteHistory(descriptor)
    }
}

extension ModelConfiguration: DataStoreConfiguration {
    public typealias Store = DefaultStore
}
