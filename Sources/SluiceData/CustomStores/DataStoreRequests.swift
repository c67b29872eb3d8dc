public import Foundation

/// What a context asks a custom store to fetch.
public struct DataStoreFetchRequest<T: PersistentModel>: Sendable {
    /// The context that asks.
    public let editingState: EditingState
    /// What is asked for.
    public let descriptor: FetchDescriptor<T>
}

/// What a custom store found.
public struct DataStoreFetchResult<T: PersistentModel, SnapshotType: DataStoreSnapshot>: Sendable {
    /// What is asked for.
    public let descriptor: FetchDescriptor<T>
    /// In the order that was asked for.
    public let fetchedSnapshots: [SnapshotType]
    /// Rows that the found ones relate to, as far as they are at hand: the context need not ask for them then.
    public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

    /// An answer of a store.
    public init(
        descriptor: FetchDescriptor<T>, fetchedSnapshots: [SnapshotType], relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
    ) {
        self.descriptor = descriptor
        self.fetchedSnapshots = fetchedSnapshots
        self.relatedSnapshots = relatedSnapshots
    }
}

/// What a context saves into a custom store.
public struct DataStoreSaveChangesRequest<SnapshotType: DataStoreSnapshot>: Sendable {
    /// The context that asks.
    public let editingState: EditingState
    /// New rows, under temporary identifiers.
    public let inserted: [SnapshotType]
    /// Rows that have other values now.
    public let updated: [SnapshotType]
    /// Rows to remove, those that delete rules take along included.
    public let deleted: [SnapshotType]
}

/// What a custom store made of a save.
public final class DataStoreSaveChangesResult<SnapshotType: DataStoreSnapshot>: Sendable {
    public let storeIdentifier: String
    /// For each inserted row, by its temporary identifier, what it is called from now on.
    public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
    /// Rows whose values the store made others than those it was given.
    public let snapshotsToReregister: [PersistentIdentifier: SnapshotType]
    /// The place of this save in the store's history, where it keeps one.
    public let historyToken: (any HistoryToken)?

    /// An answer of a store.
    public init(
        for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
        snapshotsToReregister: [PersistentIdentifier: SnapshotType] = [:], historyToken: (any HistoryToken)? = nil
    ) {
        self.storeIdentifier = storeIdentifier
        self.remappedIdentifiers = remappedIdentifiers
        self.snapshotsToReregister = snapshotsToReregister
        self.historyToken = historyToken
    }
}

/// Which rows a context asks a custom store to delete.
public struct DataStoreBatchDeleteRequest<T: PersistentModel>: @unchecked Sendable {
    // Sendable: predicates are immutable values.

    /// The context that asks.
    public let editingState: EditingState
    /// nil for every row of the class.
    public let predicate: Predicate<T>?
    /// Whether rows of subclasses are meant too.
    public let includeSubclasses: Bool
}
