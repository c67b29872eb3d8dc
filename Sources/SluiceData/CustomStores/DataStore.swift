public import Foundation

/// A store of a program's own: a file format, a service, anything that keeps values by identifier.
///
/// The container makes it from its configuration. Contexts hand it snapshots, values of models at one moment, and get snapshots back;
/// everything about models (identity, relationships, unsaved changes, delete rules) stays with the context. A store is called by one
/// thread at a time.
public protocol DataStore: AnyObject {
    associatedtype Configuration: DataStoreConfiguration where Configuration.Store == Self
    associatedtype Snapshot: DataStoreSnapshot

    /// The same whenever the store is opened: it is part of the identifiers of its rows.
    var identifier: String { get }
    var schema: Schema { get }
    var configuration: Configuration { get }

    /// - Parameter configuration: has the schema of the models that belong to this store.
    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

    /// - Throws: `DataStoreError.preferInMemoryFilter` or `.preferInMemorySort` to have the context do that part: it asks again without it.
    func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot>
    func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int
    func fetchIdentifiers<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]
    /// Writes everything or, where it throws, nothing. Every inserted snapshot has a temporary identifier; the result says what it is
    /// called from now on. Relationships of inserted and updated snapshots may name temporary identifiers too.
    func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot>
    /// Removes everything.
    func erase() throws

    /// A context begins to work with the store.
    func initializeState(for editingState: EditingState)
    /// That context is gone.
    func invalidateState(for editingState: EditingState)
    /// What the store has at hand for some rows; it need not have any.
    func cachedSnapshots(for identifiers: [PersistentIdentifier], editingState: EditingState) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
    /// Fetches, and counts rows of the class and its subclasses.
    public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int { try fetchIdentifiers(request).count }

    /// Fetches, and names rows of the class and its subclasses.
    public func fetchIdentifiers<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier] {
        let shape = ModelShape.of(T.self)
        return try fetch(request).fetchedSnapshots.map(\.persistentIdentifier).filter { identifier in
            identifier.entityName == shape.entityName || SnapshotTypes.shape(named: identifier.entityName)?.isKind(of: shape) == true
        }
    }

    /// Refuses.
    public func erase() throws { throw DataStoreError.unsupportedFeature }
    public func initializeState(for editingState: EditingState) {}
    public func invalidateState(for editingState: EditingState) {}
    public func cachedSnapshots(
        for identifiers: [PersistentIdentifier], editingState: EditingState
    ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}

/// A store that deletes by a predicate without being told each row.
public protocol DataStoreBatching: DataStore {
    func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws
}

/// What a container makes a store from.
public protocol DataStoreConfiguration: Hashable {
    associatedtype Store: DataStore where Store.Configuration == Self
    /// What the container and messages call the store.
    var name: String { get }
    /// The models that belong to the store; nil means all that no other configuration lists. The container fills it in.
    var schema: Schema? { get set }
    /// Called before a store is made.
    func validate() throws
}

extension DataStoreConfiguration {
    /// Finds no fault.
    public func validate() throws {}
}
