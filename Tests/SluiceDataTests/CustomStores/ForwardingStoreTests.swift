import Foundation
import SluiceData
import Synchronization
import Testing

/// A store on top of this module's own: it hands everything on.
private struct ForwardingConfiguration: DataStoreConfiguration {
    typealias Store = ForwardingStore
    var name: String
    var schema: Schema?
    let url: URL
}

private final class ForwardingStore: DataStoreBatching, HistoryProviding {
    typealias Configuration = ForwardingConfiguration
    typealias Snapshot = DefaultSnapshot
    typealias HistoryType = DefaultHistoryTransaction

    let configuration: ForwardingConfiguration
    let schema: Schema
    let store: DefaultStore
    var identifier: String { store.identifier }

    init(_ configuration: ForwardingConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        self.configuration = configuration
        schema = configuration.schema ?? Schema()
        store = try DefaultStore(
            ModelConfiguration(configuration.name, schema: schema, url: configuration.url), migrationPlan: migrationPlan)
    }

    func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
        try store.fetch(request)
    }
    func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int { try store.fetchCount(request) }
    func fetchIdentifiers<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier] {
        try store.fetchIdentifiers(request)
    }
    func save(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        try store.save(request)
    }
    func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws { try store.delete(request) }
    func erase() throws { try store.erase() }
    func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType] { try store.fetchHistory(descriptor) }
    func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws { try store.deleteHistory(descriptor) }
}

struct ForwardingStoreTests {
    private let folder: StoreFolder
    private let container: ModelContainer
    private let context: ModelContext

    init() throws {
        folder = try StoreFolder()
        container = try ModelContainer(
            for: JSONTrip.self, JSONCruise.self,
            configurations: ForwardingConfiguration(name: "trips", url: folder.url.appending(path: "trips.store")))
        context = ModelContext(container)
    }

    /// The same file without the store in between.
    private func direct() throws -> ModelContext {
        let url = folder.url.appending(path: "trips.store")
        return ModelContext(try ModelContainer(for: JSONTrip.self, JSONCruise.self, configurations: ModelConfiguration("trips", url: url)))
    }

    @Test func `a graph saved through a store on top of ours lies in our file`() throws {
        let cruise = JSONCruise(name: "Fjords", ship: "Fram")
        cruise.mood = .wild
        cruise.stays = [JSONStay(place: "cabin", nights: 9)]
        cruise.guides = [JSONGuide(name: "Anna")]
        context.insert(cruise)
        context.author = "forwarder"
        try context.save()
        let other = try direct()
        let found = try #require(try other.fetch(FetchDescriptor<JSONCruise>()).first)
        #expect(found.ship == "Fram" && found.mood == .wild && found.id == cruise.id)
        #expect(found.stays.map(\.nights) == [9] && found.guides.map(\.name) == ["Anna"])
        #expect(found.persistentModelID == cruise.persistentModelID)
        #expect(try context.fetchHistory(HistoryDescriptor<Transaction>()).map(\.author) == ["forwarder"])
    }

    @Test func `edits, moves and deletions go through as well`() throws {
        let (one, two) = (JSONTrip(name: "one"), JSONTrip(name: "two"))
        one.stays = [JSONStay(place: "hut")]
        context.insert(one)
        context.insert(two)
        try context.save()
        let stay = try #require(one.stays.first)
        stay.trip = two
        two.budget = 5
        try context.save()
        var trips = try direct().fetch(FetchDescriptor<JSONTrip>(sortBy: [SortDescriptor(\.name)]))
        #expect(trips.map(\.stays.count) == [0, 1] && trips[1].budget == 5)
        two.budget = nil
        context.delete(one)
        try context.save()
        trips = try direct().fetch(FetchDescriptor<JSONTrip>())
        #expect(trips.map(\.name) == ["two"] && trips[0].budget == nil)
    }

    @Test func `predicates, orders and batches run in the store`() throws {
        for name in ["a", "b", "c"] { context.insert(JSONTrip(name: name)) }
        try context.save()
        let some = FetchDescriptor<JSONTrip>(predicate: #Predicate { $0.name >= "b" }, sortBy: [SortDescriptor(\.name, order: .reverse)])
        #expect(try context.fetch(some).map(\.name) == ["c", "b"])
        #expect(try context.fetchCount(some) == 2)
        let kept = try #require(try context.fetch(some).last)
        try context.delete(model: JSONTrip.self, where: #Predicate { $0.name == "c" })
        #expect(try context.fetchIdentifiers(some) == [kept.persistentModelID])
        #expect(try direct().fetchCount(FetchDescriptor<JSONTrip>()) == 2)
        try container.erase()
        #expect(try context.fetchCount(FetchDescriptor<JSONTrip>()) == 0)
    }

    @Test func `history of a store on top is asked and deleted through it`() throws {
        for name in ["a", "b"] {
            context.insert(JSONTrip(name: name))
            try context.save()
        }
        try context.deleteHistory(HistoryDescriptor<Transaction>())
        #expect(try context.fetchHistory(HistoryDescriptor<Transaction>()).count == 1)
    }

    @Test func `a store without a schema is refused`() {
        #expect(throws: SwiftDataError.invalidConfiguration) {
            try DefaultStore(ModelConfiguration("trips", url: folder.url.appending(path: "x.store")), migrationPlan: nil)
        }
    }
}
