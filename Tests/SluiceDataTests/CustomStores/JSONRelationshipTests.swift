import Foundation
import SluiceData
import Synchronization
import Testing

struct JSONRelationshipTests {
    private let folder: StoreFolder
    private let context: ModelContext

    init() throws {
        folder = try StoreFolder()
        context = ModelContext(try Self.container(folder))
    }

    private static func container(_ folder: StoreFolder) throws -> ModelContainer {
        let url = folder.url.appending(path: "trips.json")
        return try ModelContainer(for: JSONTrip.self, configurations: JSONStoreConfiguration(name: "trips", fileURL: url))
    }

    private func reopened() throws -> ModelContext { ModelContext(try Self.container(folder)) }

    private func only<Model: PersistentModel>(_ type: Model.Type, in context: ModelContext) throws -> Model {
        try #require(try context.fetch(FetchDescriptor<Model>()).first)
    }

    @discardableResult
    private func savedTrip() throws -> JSONTrip {
        let trip = JSONTrip(name: "Alps")
        trip.stays = [JSONStay(place: "hut"), JSONStay(place: "inn", nights: 3)]
        trip.guides = [JSONGuide(name: "Anna")]
        context.insert(trip)
        try context.save()
        return trip
    }

    @Test func `a graph comes back from identifiers`() throws {
        let trip = try savedTrip()
        let other = try reopened()
        let found = try #require(other.model(for: trip.persistentModelID) as? JSONTrip)
        #expect(found.stays.map(\.place) == ["hut", "inn"])
        #expect(found.stays.allSatisfy { $0.trip === found })
        let guide = try #require(found.guides.first)
        #expect(guide.name == "Anna" && guide.trips.first === found)
        #expect(!other.hasChanges)
    }

    @Test func `a partner that nobody looked at is told too`() throws {
        try savedTrip()
        let other = try reopened()
        let stay = try #require(try other.fetch(FetchDescriptor<JSONStay>(predicate: #Predicate { $0.place == "hut" })).first)
        stay.trip = nil
        try other.save()
        #expect(try only(JSONTrip.self, in: reopened()).stays.map(\.place) == ["inn"])
        let third = try reopened()
        let extra = JSONStay(place: "tent")
        extra.trip = try only(JSONTrip.self, in: third)
        third.insert(extra)
        try third.save()
        #expect(try only(JSONTrip.self, in: reopened()).stays.map(\.place) == ["inn", "tent"])
    }

    @Test func `deleting takes along what a rule says, and others let go`() throws {
        try savedTrip()
        let other = try reopened()
        other.delete(try only(JSONTrip.self, in: other))
        try other.save()
        let third = try reopened()
        #expect(try third.fetchCount(FetchDescriptor<JSONTrip>()) == 0)
        #expect(try third.fetchCount(FetchDescriptor<JSONStay>()) == 0)
        #expect(try only(JSONGuide.self, in: third).trips.isEmpty)
    }

    @Test func `a rule that denies is an error, and nothing goes`() throws {
        let guide = JSONGuide(name: "Anna")
        guide.licences = [JSONLicence(number: 7)]
        context.insert(guide)
        try context.save()
        context.delete(guide)
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        let licence = try #require(guide.licences.first)
        context.delete(licence)
        try context.save()
        #expect(try reopened().fetchCount(FetchDescriptor<JSONGuide>()) == 0)
    }

    @Test func `deletion by predicate follows the rules too`() throws {
        try savedTrip()
        context.insert(JSONTrip(name: "pending"))
        let other = try reopened()
        let trip = try only(JSONTrip.self, in: other)
        try other.delete(model: JSONTrip.self, where: #Predicate { $0.name == "Alps" })
        #expect(trip.modelContext == nil && trip.name == "Alps")
        #expect(try other.fetchCount(FetchDescriptor<JSONStay>()) == 0)
        #expect(try reopened().fetchCount(FetchDescriptor<JSONGuide>()) == 1)
    }

    @Test func `what relates is read at once where that is asked`() throws {
        try savedTrip()
        let other = try reopened()
        var descriptor = FetchDescriptor<JSONStay>()
        descriptor.relationshipKeyPathsForPrefetching = [\JSONStay.trip]
        let stays = try other.fetch(descriptor)
        let asked = JSONStore.log.withLock { $0[folder.path("trips.json")]?.count }
        #expect(Set(stays.compactMap(\.trip?.name)) == ["Alps"])
        #expect(JSONStore.log.withLock { $0[folder.path("trips.json")]?.count } == asked)
    }
}
