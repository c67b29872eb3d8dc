// The seam between contexts and custom stores. A context asks for rows of a class; where its store is custom, this answers, whatever
// types the store has. Stores in files never come here: they are asked in SQL, and rows go straight into models.

import Foundation

/// What a context asks of a custom store.
protocol CustomRows: AnyObject, Sendable {
    var identifier: String { get }
    var keys: CustomKeys { get }

    /// - Throws: what the store throws.
    func fetch<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>, for editingState: EditingState) throws -> CustomAnswer
    func count<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>, for editingState: EditingState) throws -> Int
    func identifiers<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, for editingState: EditingState
    ) throws -> [PersistentIdentifier]
    func cached(_ identifiers: [PersistentIdentifier], for editingState: EditingState) throws -> [SnapshotRow]
    func save(_ changes: CustomChanges, for editingState: EditingState) throws -> CustomOutcome
    /// False for a store that deletes row by row only.
    func delete<Model: PersistentModel>(
        _ type: Model.Type, where predicate: Predicate<Model>?, includingSubclasses: Bool, for editingState: EditingState
    ) throws -> Bool
    func erase() throws
    func begin(_ editingState: EditingState)
    func end(_ editingState: EditingState)
    /// Lets go of the store; whoever asks later is refused.
    func close()
    /// nil where the store keeps no history of that kind.
    func history<Transaction: HistoryTransaction>(_ descriptor: HistoryDescriptor<Transaction>) throws -> [Transaction]?
    /// False where the store keeps no history of that kind.
    func deleteHistory<Transaction: HistoryTransaction>(_ descriptor: HistoryDescriptor<Transaction>) throws -> Bool
}

/// Rows that a custom store found.
struct CustomAnswer {
    let rows: [SnapshotRow]
    let related: [SnapshotRow]
}

/// Models to save into a custom store.
struct CustomChanges {
    let inserted: [any PersistentModel]
    let updated: [any PersistentModel]
    let deleted: [any PersistentModel]
    let doomed: DoomedRows
}

/// What a custom store made of a save.
struct CustomOutcome {
    let remapped: [PersistentIdentifier: PersistentIdentifier]
    let rows: [SnapshotRow]
    let token: (any HistoryToken)?
}

/// The seam over one store.
final class CustomStoreRows<Store: DataStore>: CustomRows, @unchecked Sendable {
    // Sendable: the store is touched under `lock` only; everything else is set in init.

    let identifier: String
    let keys = CustomKeys()
    private let name: String
    /// nil once it is closed.
    private var store: Store?
    private let lock = NSRecursiveLock()
    private let shapes: [String: ModelShape]

    init(_ store: Store, types: [any PersistentModel.Type]) {
        self.store = store
        name = store.configuration.name
        identifier = store.identifier
        shapes = Dictionary(types.map { (ModelShape.of($0).entityName, ModelShape.of($0)) }, uniquingKeysWith: { first, _ in first })
        SnapshotTypes.register(shapes)
    }

    /// Calls the store: one thread at a time, and with its own classes where names are looked up.
    private func calling<Result>(_ body: (Store) throws -> Result) throws -> Result {
        try lock.withLock {
            guard let store else { throw SwiftDataError.closed(name) }
            return try SnapshotTypes.$current.withValue(shapes) { try body(store) }
        }
    }

    // MARK: Reading

    func fetch<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>, for editingState: EditingState) throws -> CustomAnswer {
        let result = try calling { try $0.fetch(DataStoreFetchRequest(editingState: editingState, descriptor: descriptor)) }
        let rows = try result.fetchedSnapshots.map { try SnapshotRow($0) }
        return CustomAnswer(rows: rows, related: try result.relatedSnapshots.values.map { try SnapshotRow($0) })
    }

    func count<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>, for editingState: EditingState) throws -> Int {
        try calling { try $0.fetchCount(DataStoreFetchRequest(editingState: editingState, descriptor: descriptor)) }
    }

    func identifiers<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, for editingState: EditingState
    ) throws -> [PersistentIdentifier] {
        try calling { try $0.fetchIdentifiers(DataStoreFetchRequest(editingState: editingState, descriptor: descriptor)) }
    }

    func cached(_ identifiers: [PersistentIdentifier], for editingState: EditingState) throws -> [SnapshotRow] {
        try calling { try $0.cachedSnapshots(for: identifiers, editingState: editingState) }.values.map { try SnapshotRow($0) }
    }

    // MARK: Writing

    func save(_ changes: CustomChanges, for editingState: EditingState) throws -> CustomOutcome {
        func snapshots(_ models: [any PersistentModel]) -> [Store.Snapshot] { models.map { snapshot(of: $0, without: changes.doomed) } }
        let request = DataStoreSaveChangesRequest(
            editingState: editingState, inserted: snapshots(changes.inserted), updated: snapshots(changes.updated),
            deleted: snapshots(changes.deleted))
        let result = try calling { try $0.save(request) }
        // The save is done: a snapshot that cannot be read now is read when its row is next asked for.
        let rows = result.snapshotsToReregister.values.compactMap { try? SnapshotRow($0) }
        return CustomOutcome(remapped: result.remappedIdentifiers, rows: rows, token: result.historyToken)
    }

    private func snapshot<Model: PersistentModel>(of model: Model, without doomed: DoomedRows) -> Store.Snapshot {
        // What a snapshot wants to know of other models, it asks them itself.
        var related: [PersistentIdentifier: any BackingData] = [:]
        return Store.Snapshot(from: ContextBackingData(model, without: doomed), relatedBackingDatas: &related)
    }

    func delete<Model: PersistentModel>(
        _ type: Model.Type, where predicate: Predicate<Model>?, includingSubclasses: Bool, for editingState: EditingState
    ) throws -> Bool {
        try calling { store in
            guard let store = store as? any DataStoreBatching else { return false }
            let request = DataStoreBatchDeleteRequest(
                editingState: editingState, predicate: predicate, includeSubclasses: includingSubclasses)
            do { try store.delete(request) } catch DataStoreError.unsupportedFeature { return false }
            return true
        }
    }

    func erase() throws { try calling { try $0.erase() } }
    // A store that is closed has forgotten all contexts.
    func begin(_ editingState: EditingState) { try? calling { $0.initializeState(for: editingState) } }
    func end(_ editingState: EditingState) { try? calling { $0.invalidateState(for: editingState) } }
    func close() { _ = lock.withLock { store.take() } }

    // MARK: History

    func history<Transaction: HistoryTransaction>(_ descriptor: HistoryDescriptor<Transaction>) throws -> [Transaction]? {
        func ask<Provider: HistoryProviding>(_ provider: Provider) throws -> [Transaction]? {
            guard let descriptor = descriptor as? HistoryDescriptor<Provider.HistoryType> else { return nil }
            return try provider.fetchHistory(descriptor) as? [Transaction]
        }
        return try calling { store in try (store as? any HistoryProviding).flatMap { try ask($0) } }
    }

    func deleteHistory<Transaction: HistoryTransaction>(_ descriptor: HistoryDescriptor<Transaction>) throws -> Bool {
        func ask<Provider: HistoryProviding>(_ provider: Provider) throws -> Bool {
            guard let descriptor = descriptor as? HistoryDescriptor<Provider.HistoryType> else { return false }
            try provider.deleteHistory(descriptor)
            return true
        }
        return try calling { store in try (store as? any HistoryProviding).map { try ask($0) } ?? false }
    }
}
