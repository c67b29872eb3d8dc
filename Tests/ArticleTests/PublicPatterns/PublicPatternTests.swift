import SwiftData
import Testing

@Suite struct PublicPatternTests {
    @Test @MainActor func `a class of the main actor saves, relates and is read in a context of another`() async throws {
        let container = try ModelContainer.inMemory(Dashboard.self)
        let context = container.mainContext
        let dashboard = Dashboard(name: "home")
        context.insert(dashboard)
        dashboard.kind = .narrow
        dashboard.tiles = [Tile(title: "weather"), Tile(title: "mail")]
        try context.save()
        #expect(try await Curator(modelContainer: container).count() == 2)
        let stored = try #require(try ModelContext(container).all(Dashboard.self).first)
        #expect(stored.kind == .narrow && Set(stored.tiles.map(\.title)) == ["mail", "weather"])
    }

    @Test func `a property with an underscore, an own equality and a stray attribute do no harm`() throws {
        let context = ModelContext(try .inMemory(Pulse.self))
        let pulse = Pulse(kind: .running)
        context.insert(pulse)
        try context.save()
        let other = ModelContext(context.container)
        let stored = try #require(try other.all(Pulse.self).first)
        #expect(stored == pulse && stored !== pulse && stored.kind == .running)
    }
}

@ModelActor
actor Curator {
    func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Tile>()) }
}
