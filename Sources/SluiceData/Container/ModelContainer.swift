// Opens the stores of a program. Everything that can go wrong with a file does so here, before any model is made; a file that cannot be opened is
// left as it was, and never replaced by an empty one.

public import Foundation
import SluiceSchema
import Synchronization

/// The stores of a program and the classes that lie in them.
///
///     let container = try ModelContainer(for: Note.self)
///     let context = ModelContext(container)
///
/// May be shared by any number of threads; a context may not.
public final class ModelContainer: Equatable, @unchecked Sendable {
    // Sendable: everything is set in init; the main context is made and used on the main actor; the stores guard themselves.

    public let schema: Schema
    /// The plan that the container was made with.
    public let migrationPlan: (any SchemaMigrationPlan.Type)?
    /// The configurations, one for each store.
    public let configurations: Set<ModelConfiguration>
    let bindings: ContainerSchema
    let remoteChanges = RemoteChanges()
    @MainActor private var ownedMainContext: ModelContext?

    /// - Throws: `SwiftDataError`: a schema that contradicts itself, two configurations of one name, a file that cannot be opened or holds
    ///   another schema.
    public convenience init(
        for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: [ModelConfiguration]
    ) throws {
        let configurations = configurations.isEmpty ? [ModelConfiguration(schema: givenSchema)] : configurations
        let assignment = try StoreAssignment(givenSchema, configurations)
        let route = try migrationPlan.map { try MigrationRoute($0) }
        let stores = try assignment.parts.map { part in (store: try OpenStore.open(part, route: route), types: part.types) }
        try self.init(schema: givenSchema, migrationPlan: migrationPlan, configurations: Set(configurations), stores: stores)
    }

    /// A container of stores that are open.
    init(
        schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)?, configurations: Set<ModelConfiguration>,
        stores: [(store: OpenStore, types: [any PersistentModel.Type])]
    ) throws {
        self.schema = schema
        self.migrationPlan = migrationPlan
        self.configurations = configurations
        bindings = try ContainerSchema(stores: stores)
        remoteChanges.join(self)
    }

    public convenience init(
        for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: ModelConfiguration...
    ) throws {
        try self.init(for: givenSchema, migrationPlan: migrationPlan, configurations: configurations)
    }

    public convenience init(
        for forTypes: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: ModelConfiguration...
    ) throws {
        try self.init(for: Schema(forTypes), migrationPlan: migrationPlan, configurations: configurations)
    }

    public static func == (left: ModelContainer, right: ModelContainer) -> Bool { left === right }

    /// The context of the main actor. It saves by itself, one second after the last change.
    @MainActor public var mainContext: ModelContext {
        if let ownedMainContext { return ownedMainContext }
        let context = ModelContext(self)
        context.autosaveEnabled = true
        ownedMainContext = context
        return context
    }

    /// The identifier of a configuration's store; nil for a name that no configuration has, and after `invalidate()`.
    public func storeIdentifier(forConfigurationNamed name: String) -> String? {
        isInvalidated ? nil : bindings.stores.first { $0.configuration.name == name }?.identifier
    }

    /// The name of the configuration whose store has that identifier; nil for one that no store has, and after `invalidate()`.
    public func configurationName(forStoreIdentifier identifier: String) -> String? {
        isInvalidated ? nil : bindings.stores.first { $0.identifier == identifier }?.configuration.name
    }

    /// Deletes every row of every store. Other contexts see it when they next fetch.
    /// - Throws: the store's error; stores before it are then empty.
    public func erase() throws {
        for store in bindings.stores { try store.erase() }
    }

    /// Deletes every row of every store, as far as it can be done.
    @available(*, deprecated, message: "use erase(), which says what went wrong")
    public func deleteAllData() {
        // The signature has no way to say that it failed.
        try? erase()
    }
}
