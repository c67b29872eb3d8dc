import Foundation
import SluiceData
import Synchronization
import Testing

struct JSONStoreTests {
    private let folder: StoreFolder
    private let container: ModelContainer
    private let context: ModelContext

    init() throws {
        folder = try StoreFolder()
        container = try Self.container(folder)
        context = ModelContext(container)
    }

    private static func container(_ folder: StoreFolder, isCandid: Bool = true) throws -> ModelContainer {
        let url = folder.url.appending(path: "trips.json")
        return try ModelContainer(
            for: JSONTrip.self, JSONCruise.self, configurations: JSONStoreConfiguration(name: "trips", fileURL: url, isCandid: isCandid))
    }

    /// A context of another container over the same file: nothing but the file is shared.
    private func reopened() throws -> ModelContext { ModelContext(try Self.container(folder)) }

    private func log() -> [String] { JSONStore.log.withLock { $0[folder.path("trips.json")] ?? [] } }

    @discardableResult
    private func add(_ names: String...) throws -> [JSONTrip] {
        let trips = names.map { JSONTrip(name: $0) }
        for trip in trips { context.insert(trip) }
        try context.save()
        return trips
    }

    // MARK: Values and identity

    @Test func `a saved model comes back from the file with every value`() throws {
        let trip = JSONTrip(name: "Alps", startDate: Date(timeIntervalSinceReferenceDate: 86_400))
        trip.budget = Decimal(string: "12.50")
        trip.mood = .wild
        trip.route = JSONTrip.Route(stops: ["a", "b"])
        trip.tags = ["snow"]
        trip.cover = Data([1, 2, 3])
        context.insert(trip)
        try context.save()
        #expect(!trip.hasChanges)
        let found = try #require(try reopened().fetch(FetchDescriptor<JSONTrip>()).first)
        #expect(found.id == trip.id && found.name == "Alps" && found.startDate == trip.startDate)
        #expect(found.budget == Decimal(string: "12.50") && found.mood == .wild && found.route.stops == ["a", "b"])
        #expect(found.tags == ["snow"] && found.cover == Data([1, 2, 3]))
        #expect(found.persistentModelID == trip.persistentModelID)
    }

    @Test func `saving gives a new model the identifier that the store chose`() throws {
        let trip = JSONTrip(name: "Alps")
        context.insert(trip)
        let temporary = trip.persistentModelID
        #expect(temporary.storeIdentifier == nil)
        try context.save()
        let permanent = trip.persistentModelID
        #expect(permanent.storeIdentifier == "trips.json" && permanent != temporary)
        #expect(context.registeredModel(for: permanent) as JSONTrip? === trip)
        let copy = try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(permanent))
        let other = try reopened()
        #expect((other.model(for: copy) as? JSONTrip)?.name == "Alps")
        #expect(other.model(for: temporary).modelContext == nil)
    }

    @Test func `there is one instance for each row, and what is edited stays when it is fetched again`() throws {
        let trip = try #require(try add("Alps").first)
        let other = ModelContext(container)
        let theirs = try #require(try other.fetch(FetchDescriptor<JSONTrip>()).first)
        theirs.name = "Dolomites"
        theirs.tags = ["rock"]
        try other.save()
        trip.tags = ["mine"]
        #expect(try context.fetch(FetchDescriptor<JSONTrip>()).first === trip)
        #expect(trip.name == "Dolomites" && trip.tags == ["mine"])
        context.rollback()
        #expect(trip.tags == ["rock"])
    }

    @Test func `a subclass's rows are of their class`() throws {
        context.insert(JSONCruise(name: "Fjords", ship: "Fram"))
        try add("Alps")
        let other = try reopened()
        let found = try other.fetch(FetchDescriptor<JSONTrip>(sortBy: [SortDescriptor(\.name)]))
        #expect(found.map(\.name) == ["Alps", "Fjords"])
        #expect((found.last as? JSONCruise)?.ship == "Fram")
        #expect(try other.fetch(FetchDescriptor<JSONCruise>()).count == 1)
    }

    // MARK: Fetching

    @Test(arguments: [true, false]) func `filter, order and limits hold whoever does them`(isCandid: Bool) throws {
        try add("a", "b", "c", "d")
        let context = ModelContext(try Self.container(folder, isCandid: isCandid))
        var descriptor = FetchDescriptor<JSONTrip>(sortBy: [SortDescriptor(\.name, order: .reverse)])
        if isCandid {
            descriptor.predicate = #Predicate { $0.name != "c" }
            descriptor.fetchLimit = 2
            descriptor.fetchOffset = 1
            #expect(try context.fetch(descriptor).map(\.name) == ["b", "a"])
            #expect(try context.fetchCount(descriptor) == 2)
            #expect(try context.fetchIdentifiers(descriptor).count == 2)
            #expect(try context.fetch(descriptor, batchSize: 1).map(\.name) == ["b", "a"])
        } else {
            // The store looks at nothing, and must be believed: only the limit is certain.
            descriptor.fetchLimit = 3
            #expect(try context.fetch(descriptor).count == 3)
        }
    }

    @Test func `unsaved changes are part of what is fetched`() throws {
        let trips = try add("a", "b", "c")
        trips[0].name = "z"
        context.delete(trips[1])
        context.insert(JSONTrip(name: "d"))
        let names = FetchDescriptor<JSONTrip>(predicate: #Predicate { $0.name > "b" }, sortBy: [SortDescriptor(\.name)])
        #expect(try context.fetch(names).map(\.name) == ["c", "d", "z"])
        #expect(try context.fetchCount(names) == 3)
        var saved = names
        saved.includePendingChanges = false
        #expect(try Set(context.fetch(saved).map(\.name)) == ["c", "z"])
    }

    @Test func `enumeration and batches read what was asked for`() throws {
        try add("a", "b", "c")
        var names: [String] = []
        try reopened().enumerate(FetchDescriptor<JSONTrip>(sortBy: [SortDescriptor(\.name)]), batchSize: 2) { names.append($0.name) }
        #expect(names == ["a", "b", "c"])
    }

    // MARK: The store's view

    @Test func `the store hears of contexts, their authors and their changes`() throws {
        do {
            let writing = ModelContext(container)
            writing.author = "importer"
            writing.insert(JSONTrip(name: "a"))
            try writing.save()
            #expect(log().contains("save 1 0 0 by importer"))
            #expect(log().contains("begin \(writing.editingState.id)"))
        }
        #expect(log().filter { $0.hasPrefix("end") }.count == 1)
    }

    @Test func `a store that fails leaves everything pending`() throws {
        let trip = try #require(try add("a").first)
        trip.name = "b"
        context.insert(JSONTrip(name: "c"))
        try FileManager.default.removeItem(at: folder.url.appending(path: "trips.json"))
        try FileManager.default.createDirectory(at: folder.url.appending(path: "trips.json"), withIntermediateDirectories: false)
        #expect(throws: (any Error).self) { try context.save() }
        #expect(context.hasChanges && trip.hasChanges && context.insertedModelsArray.count == 1)
        try FileManager.default.removeItem(at: folder.url.appending(path: "trips.json"))
        try context.save()
        #expect(try Set(reopened().fetch(FetchDescriptor<JSONTrip>()).map(\.name)) == ["b", "c"])
    }

    @Test func `erasing and invalidating reach the store`() throws {
        try add("a")
        try container.erase()
        #expect(try reopened().fetchCount(FetchDescriptor<JSONTrip>()) == 0)
        #expect(container.storeIdentifier(forConfigurationNamed: "trips") == "trips.json")
        container.invalidate()
        #expect(throws: SwiftDataError.self) { try context.fetch(FetchDescriptor<JSONTrip>()) }
    }

    @Test func `a configuration that is not valid opens nothing`() throws {
        let configuration = JSONStoreConfiguration(name: "trips", fileURL: URL(string: "https://example.com")!)
        #expect(throws: CocoaError.self) { try ModelContainer(for: JSONTrip.self, configurations: configuration) }
    }

    @Test func `observers see what is saved`() throws {
        let observer = try ResultsObserver<JSONTrip, Never>(modelContainer: container)
        #expect(observer.results.isEmpty)
        try add("a")
        #expect(observer.results.map(\.name) == ["a"])
    }

    @Test func `a file and a store of one's own lie side by side`() throws {
        let url = folder.url.appending(path: "trips.json")
        let container = try ModelContainer(
            for: Schema([JSONTrip.self, JSONCruise.self, HeardTrack.self]),
            configurations: [
                JSONStoreConfiguration(name: "trips", schema: Schema([JSONTrip.self, JSONCruise.self]), fileURL: url),
                ModelConfiguration("tracks", schema: Schema([HeardTrack.self]), url: folder.url.appending(path: "tracks.store")),
            ])
        let context = ModelContext(container)
        context.insert(JSONTrip(name: "a"))
        context.insert(HeardTrack(title: "song"))
        try context.save()
        #expect(try reopened().fetchCount(FetchDescriptor<JSONTrip>()) == 1)
        #expect(try ModelContext(container).fetch(FetchDescriptor<HeardTrack>()).map(\.title) == ["song"])
        #expect(container.configurations.map(\.name) == ["tracks"])
        #expect(container.configurationName(forStoreIdentifier: "trips.json") == "trips")
        #expect(try context.fetchHistory(HistoryDescriptor<Transaction>()).flatMap(\.changes).count == 1)
    }
}
