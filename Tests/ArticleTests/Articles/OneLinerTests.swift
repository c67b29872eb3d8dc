import SwiftData
import Testing

/// What the single lines say reaches the schema and the store.
@Suite struct OneLinerTests {
    @Test func `attributes carry what their options say`() throws {
        let schema = Schema([Recording.self, Cassette.self])
        let attributes = try #require(schema.entity(for: Recording.self)).attributesByName
        #expect(attributes["samples"]?.options == [.externalStorage])
        #expect(attributes["title"]?.originalName == "old_field_name" && attributes["newName"]?.originalName == "oldName")
        #expect(attributes["tint"]?.isTransformable == true)
        #expect(attributes["tint"]?.options == attributes["shade"]?.options)
        #expect(attributes["marks"]?.isCodable == true)
        #expect(schema.entity(for: Cassette.self)?.name == "Cassette")
    }

    @Test func `relationships carry their rules, and nullify is the default`() throws {
        let relationships = try #require(Schema([Recording.self]).entity(for: Recording.self)).relationshipsByName
        #expect(relationships["cover"]?.inverseName == nil && relationships["cover"]?.deleteRule == .nullify)
        #expect(relationships["takes"]?.deleteRule == .cascade)
    }

    @Test func `every property of such a class comes back`() throws {
        let context = ModelContext(try .inMemory(Recording.self))
        let recording = Recording(title: "song", newName: "tune")
        context.insert(recording)
        recording.samples = Data(repeating: 7, count: 300_000)
        recording.tint = Tint(red: 1, green: 2, blue: 3)
        recording.shade = Tint(red: 4, green: 5, blue: 6)
        recording.marks = Marks(places: [1], note: "n")
        recording.cover = Photo(name: "front")
        recording.takes = [Take(number: 1), Take(number: 2)]
        try context.save()
        let stored = try #require(try ModelContext(context.container).all(Recording.self).first)
        #expect(stored.samples == recording.samples && stored.title == "song" && stored.newName == "tune")
        #expect(stored.tint == recording.tint && stored.shade == recording.shade && stored.marks == recording.marks)
        #expect(stored.cover?.name == "front" && Set(stored.takes.map(\.number)) == [1, 2])
    }

    @Test func `a batch is deleted by a predicate, and identifiers leave their actor`() async throws {
        let container = try ModelContainer.inMemory(Take.self)
        let context = ModelContext(container)
        for number in 1...5 { context.insert(Take(number: number)) }
        try context.save()
        try OneLiners.deleteTakes(in: context)
        let identifiers = try await Archive(modelContainer: container).latest(limit: 2)
        #expect(identifiers.map { (context.model(for: $0) as? Take)?.number } == [5, 4])
        #expect(try context.count(Take.self) == 3)
    }
}
