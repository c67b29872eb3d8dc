import Foundation
import SluiceData
import Synchronization
import Testing

@Model final class NotedBird {
    var species: String
    var count: Int
    var size: BirdSize = BirdSize.small
    var seenAt: Date?

    init(species: String, count: Int) {
        self.species = species
        self.count = count
    }
}

enum BirdSize: Int, Codable { case small, large }

/// A snapshot of a store's own: a struct of exactly what the store keeps, in forms of its own.
private struct BirdSnapshot: DataStoreSnapshot {
    var persistentIdentifier: PersistentIdentifier
    var species: String
    var count: Int
    /// The raw value.
    var size: Int

    init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]) {
        guard let bird = backingData as? any BackingData<NotedBird>, let identifier = bird.persistentModelID else {
            preconditionFailure("this store keeps birds")
        }
        persistentIdentifier = identifier
        species = bird.getValue(forKey: \.species)
        count = bird.getValue(forKey: \.count)
        size = bird.getValue(forKey: \.size).rawValue
    }

    func copy(
        persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
    ) -> BirdSnapshot {
        var copy = self
        copy.persistentIdentifier = persistentIdentifier
        return copy
    }
}

private struct BirdConfiguration: DataStoreConfiguration {
    typealias Store = BirdStore
    let name: String
    var schema: Schema?
}

/// Keeps birds in memory under numbers, and rounds their counts.
private final class BirdStore: DataStore {
    typealias Configuration = BirdConfiguration
    typealias Snapshot = BirdSnapshot

    let configuration: BirdConfiguration
    let schema: Schema
    let identifier = "birds"
    private var birds: [PersistentIdentifier: BirdSnapshot] = [:]

    init(_ configuration: BirdConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        self.configuration = configuration
        schema = configuration.schema ?? Schema()
    }

    func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, BirdSnapshot> {
        guard request.descriptor.predicate == nil else { throw DataStoreError.preferInMemoryFilter }
        guard request.descriptor.sortBy.isEmpty else { throw DataStoreError.preferInMemorySort }
        return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: Array(birds.values))
    }

    func save(_ request: DataStoreSaveChangesRequest<BirdSnapshot>) throws -> DataStoreSaveChangesResult<BirdSnapshot> {
        var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
        var rounded: [PersistentIdentifier: BirdSnapshot] = [:]
        for snapshot in request.inserted + request.updated {
            var bird = snapshot
            if request.inserted.contains(where: { $0.persistentIdentifier == snapshot.persistentIdentifier }) {
                let permanent = try PersistentIdentifier.identifier(for: identifier, entityName: "NotedBird", primaryKey: birds.count + 1)
                remapped[snapshot.persistentIdentifier] = permanent
                bird.persistentIdentifier = permanent
            }
            bird.count = (bird.count + 5) / 10 * 10
            birds[bird.persistentIdentifier] = bird
            rounded[bird.persistentIdentifier] = bird
        }
        for snapshot in request.deleted { birds[snapshot.persistentIdentifier] = nil }
        return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped, snapshotsToReregister: rounded)
    }

    func cachedSnapshots(
        for identifiers: [PersistentIdentifier], editingState: EditingState
    ) throws -> [PersistentIdentifier: BirdSnapshot] {
        birds.filter { identifiers.contains($0.key) }
    }
}

struct OwnSnapshotTests {
    private let container: ModelContainer
    private let context: ModelContext

    init() throws {
        container = try ModelContainer(for: NotedBird.self, configurations: BirdConfiguration(name: "birds"))
        context = ModelContext(container)
    }

    @Test func `values travel in a snapshot type of the store's own`() throws {
        let bird = NotedBird(species: "wren", count: 20)
        bird.size = .large
        bird.seenAt = .now
        context.insert(bird)
        try context.save()
        let found = try #require(try ModelContext(container).fetch(FetchDescriptor<NotedBird>()).first)
        #expect(found.species == "wren" && found.count == 20 && found.size == .large)
        // The store does not keep it.
        #expect(found.seenAt == nil)
        #expect(found.persistentModelID == bird.persistentModelID)
    }

    @Test func `a value that the store made another one shows at once`() throws {
        let bird = NotedBird(species: "wren", count: 17)
        context.insert(bird)
        try context.save()
        #expect(bird.count == 20 && !bird.hasChanges)
        bird.count = 31
        try context.save()
        #expect(bird.count == 30)
    }

    @Test func `a row is found by its number, through what the store has at hand`() throws {
        context.insert(NotedBird(species: "wren", count: 10))
        try context.save()
        let identifier = try PersistentIdentifier.identifier(for: "birds", entityName: "NotedBird", primaryKey: 1)
        let other = ModelContext(container)
        #expect((other.model(for: identifier) as? NotedBird)?.species == "wren")
        let stranger = try PersistentIdentifier.identifier(for: "birds", entityName: "NotedBird", primaryKey: 99)
        #expect(other.model(for: stranger).modelContext == nil)
        let elsewhere = try PersistentIdentifier.identifier(for: "fish", entityName: "NotedBird", primaryKey: 1)
        #expect(other.model(for: elsewhere).modelContext == nil)
    }

    @Test func `a store that keeps no history says so`() throws {
        #expect(throws: SwiftDataError.invalidTransactionFetchRequest) { try context.fetchHistory(HistoryDescriptor<Transaction>()) }
        #expect(throws: DataStoreError.unsupportedFeature) { try container.erase() }
    }

    @Test func `the keys of a snapshot are the names of the properties`() {
        for name in ["name", "persistentIdentifier", "~name", ""] {
            let key = DataStoreSnapshotCodingKey.modeledProperty(name)
            #expect(DataStoreSnapshotCodingKey(stringValue: key.stringValue) == key)
        }
        #expect(DataStoreSnapshotCodingKey(stringValue: "persistentIdentifier") == .persistentIdentifier)
        #expect(DataStoreSnapshotCodingKey.modeledProperty("name").stringValue == "name")
    }
}
