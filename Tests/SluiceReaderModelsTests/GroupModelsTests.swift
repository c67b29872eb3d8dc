import Foundation
import SluiceData
import SluiceGroup
import SluiceReader
import SluiceReaderModels
import SluiceStore
import Testing

/// What the program that owns the store declares.
enum Owner {
    @Model
    final class Errand {
        @Attribute(.unique) var id: UUID
        var title: String
        var isDone = false
        var shelf: Shelf?

        init(id: UUID = UUID(), title: String) {
            self.id = id
            self.title = title
        }
    }

    @Model
    final class Shelf {
        var label: String
        @Relationship(inverse: \Errand.shelf) var errands: [Errand] = []

        init(label: String) { self.label = label }
    }
}

/// What a widget declares: one class, two of its properties.
enum Widget {
    @Model
    final class Errand {
        var title: String
        var isDone = false

        init(title: String) { self.title = title }
    }
}

/// A program of before the store's version, and one of after it, whose class says something that the store does not hold.
private enum Before: VersionedSchema {
    static let versionIdentifier = Schema.Version(0, 9, 0)
    static var models: [any PersistentModel.Type] { [Errand.self] }

    @Model
    final class Errand {
        var text: String

        init(text: String) { self.text = text }
    }
}

private enum After: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Errand.self] }

    @Model
    final class Errand {
        var title: String
        var urgency: Int

        init(title: String, urgency: Int) {
            self.title = title
            self.urgency = urgency
        }
    }
}

/// The typed face of a group container.
@Suite struct GroupModelsTests {
    @Test func `a program reads models with the classes of the owner, relationships too, or with some of them`() throws {
        let fixture = try ModelsFixture()
        try fixture.put("milk", "bread")
        let all = try GroupModels.open("errands", for: Owner.Errand.self, groupsDirectory: fixture.groups, environment: [:])
        let titles = try all.read { context -> [String] in
            let open = FetchDescriptor<Owner.Errand>(predicate: #Predicate { !$0.isDone }, sortBy: [SortDescriptor(\.title)])
            return try context.fetch(open).map { "\($0.title) \($0.shelf?.label ?? "")" }
        }
        #expect(titles == ["bread top", "milk top"])
        #expect(try all.read { try $0.fetch(FetchDescriptor<Owner.Shelf>()).first?.errands.count } == 2)
        let some = try GroupModels.open("errands", for: Widget.Errand.self, groupsDirectory: fixture.groups, environment: [:])
        #expect(try some.read { try $0.fetchCount(FetchDescriptor<Widget.Errand>()) } == 2)
        #expect(some.status().word == "current")
    }

    @Test func `two fetches in one read agree, whatever is committed between them, and the next read sees it`() throws {
        let fixture = try ModelsFixture()
        try fixture.put("milk")
        let models = try GroupModels.open("errands", for: Widget.Errand.self, groupsDirectory: fixture.groups, environment: [:])
        let counts = try models.read { context -> [Int] in
            let before = try context.fetch(FetchDescriptor<Widget.Errand>()).count
            try fixture.put("bread")
            try fixture.writer.rebuild(from: fixture.store)
            return [before, try context.fetch(FetchDescriptor<Widget.Errand>()).count, try context.fetchCount(FetchDescriptor<Widget.Errand>())]
        }
        #expect(counts == [1, 1, 1])
        #expect(try models.read { try $0.fetchCount(FetchDescriptor<Widget.Errand>()) } == 2)
    }

    @Test func `a store that is older than the classes needs a migration, one that is newer an update, and both stay as they are`() throws {
        let fixture = try ModelsFixture()
        try fixture.put("milk")
        let before = try fixture.listing()
        let newer = try GroupModels.open("errands", for: After.self, groupsDirectory: fixture.groups, environment: [:])
        let older = try GroupModels.open("errands", for: Before.self, groupsDirectory: fixture.groups, environment: [:])
        let required = #expect(throws: SwiftDataError.self) { try newer.read { _ in } }
        #expect(required == SwiftDataError.migrationRequired && required?.explanation?.contains("Errand.urgency") == true)
        let update = #expect(throws: SwiftDataError.self) { try older.read { _ in } }
        #expect(update == SwiftDataError.storeIsNewer && update?.explanation?.contains("1.0.0") == true)
        #expect(newer.status().word == "migrationRequired" && newer.status().exitStatus == 78)
        #expect(older.status().word == "storeIsNewer" && older.status().exitStatus == 78)
        #expect(try fixture.listing() == before)
    }

    @Test func `whoever reads is not entitled to write, and reading writes nothing`() throws {
        let fixture = try ModelsFixture()
        try fixture.put("milk")
        let before = try fixture.listing()
        let models = try GroupModels.open("errands", for: Widget.Errand.self, groupsDirectory: fixture.groups, environment: [:])
        let error = #expect(throws: SwiftDataError.self) {
            try models.read { context in
                context.insert(Widget.Errand(title: "written"))
                try context.save()
            }
        }
        #expect(error == SwiftDataError.missingEntitlement)
        #expect(try models.read { context in
            for errand in try context.fetch(FetchDescriptor<Widget.Errand>()) { errand.isDone = true }
            return try context.fetchCount(FetchDescriptor<Widget.Errand>())
        } == 1)
        #expect(try fixture.listing() == before)
        #expect(try fixture.errandCount == 1)
    }

    @Test func `a fetch after the state has ended is refused, and what was fetched keeps its values`() throws {
        let fixture = try ModelsFixture()
        try fixture.put("milk")
        let models = try GroupModels.open("errands", for: Owner.Errand.self, groupsDirectory: fixture.groups, environment: [:])
        var kept: Owner.Errand?
        #expect(throws: ReaderError.self) {
            try models.read(limit: .milliseconds(200)) { context in
                kept = try context.fetch(FetchDescriptor<Owner.Errand>()).first
                let deadline = ContinuousClock.now + .milliseconds(250)
                while ContinuousClock.now < deadline { usleep(1_000) }
                _ = try context.fetchCount(FetchDescriptor<Owner.Errand>())
            }
        }
        #expect(kept?.title == "milk")
    }

    @Test func `a container without a store is a status, and an error that says so`() async throws {
        let fixture = try ModelsFixture()
        let models = try GroupModels.open("nowhere", for: Widget.Errand.self, groupsDirectory: fixture.groups, environment: [:])
        #expect(models.status() == .noStore)
        let path = "\(fixture.groups)/nowhere"
        await #expect(throws: ReaderError.noStore(path: path)) { try await models.withContext { try $0.fetchCount(FetchDescriptor<Widget.Errand>()) } }
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
