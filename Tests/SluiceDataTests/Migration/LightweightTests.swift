import Foundation
import SluiceData
import Testing

/// What opening a store with other classes does by itself: behaviours 23 to 37.
@Suite(.timeLimit(.minutes(10))) struct LightweightTests {
    private let store: MigrationFixture

    init() throws {
        store = try MigrationFixture()
        try store.fill()
    }

    @Test func `behaviour 23: an optional property is nil in old rows and what init sets in new ones`() throws {
        let context = ModelContext(try store.open(Noted.Item.self))
        #expect(try context.fetch(FetchDescriptor<Noted.Item>()).map(\.note) == [nil, nil, nil])
        context.insert(Noted.Item(code: 4, name: "salt"))
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Noted.Item>(sortBy: [SortDescriptor(\.code)])).map(\.note) == [nil, nil, nil, "fresh"])
        #expect(try store.migrationEntryCount == 0)
    }

    @Test func `behaviour 24: a property with a default has it in old rows`() throws {
        let context = ModelContext(try store.open(Counted.Item.self))
        let items = try context.fetch(FetchDescriptor<Counted.Item>(predicate: #Predicate { $0.count == 7 && !$0.isOpen }, sortBy: [SortDescriptor(\.code)]))
        #expect(items.map(\.name) == ["rice", "oats", ""])
        #expect(try store.migrationEntryCount == 0)
    }

    @Test func `behaviour 25: a class that comes leaves the others as they are, and may be related to them`() throws {
        let context = ModelContext(try store.open(Extended.Item.self, Extended.Shelf.self))
        let items = try context.fetch(FetchDescriptor<Extended.Item>(sortBy: [SortDescriptor(\.code)]))
        #expect(items.map(\.name) == ["rice", "oats", ""] && items.allSatisfy { $0.shelf == nil })
        let shelf = Extended.Shelf(title: "top")
        context.insert(shelf)
        shelf.items = [items[0], items[2]]
        try context.save()
        let other = try #require(try ModelContext(context.container).fetch(FetchDescriptor<Extended.Shelf>()).first)
        #expect(Set(other.items.map(\.code)) == [1, 3])
    }

    @Test func `behaviour 26: a property or class that goes takes its data along, and a backup is left beside the store`() throws {
        do {
            let context = ModelContext(try store.open(Extended.Item.self, Extended.Shelf.self))
            context.insert(Extended.Shelf(title: "top"))
            try context.save()
        }
        #expect(try store.backups.isEmpty)
        // The shape was there before, so that only a higher version says that this is no older program.
        let context = ModelContext(try store.open(Plain.Item.self, version: Schema.Version(2, 0, 0)))
        #expect(try context.fetch(FetchDescriptor<Plain.Item>(sortBy: [SortDescriptor(\.code)])).map(\.name) == ["rice", "oats", ""])
        let backup = try #require(try store.backups.first)
        let kept = try ModelContainer(
            for: Extended.Item.self, Extended.Shelf.self, configurations: ModelConfiguration(url: URL(filePath: backup), allowsSave: false))
        #expect(try ModelContext(kept).fetch(FetchDescriptor<Extended.Shelf>()).map(\.title) == ["top"])
    }

    @Test func `behaviour 27: a renamed property with its original name keeps its data`() throws {
        let context = ModelContext(try store.open(Retitled.Item.self))
        #expect(try context.fetch(FetchDescriptor<Retitled.Item>(sortBy: [SortDescriptor(\.code)])).map(\.title) == ["rice", "oats", ""])
    }

    @Test func `behaviour 28: a renamed property without it is refused with the line to write; SwiftData drops the data`() throws {
        try store.refuses(.ambiguousRename, mentioning: "Item", "name", "title", "originalName") { try store.open(Unhinted.Item.self) }
    }

    @Test func `behaviour 29: a class that is renamed by a hint keeps its rows`() throws {
        let context = ModelContext(try store.open(Reclassed.Article.self))
        #expect(try context.fetch(FetchDescriptor<Reclassed.Article>(sortBy: [SortDescriptor(\.code)])).map(\.name) == ["rice", "oats", ""])
    }

    @Test func `behaviour 30: a relationship to one may become one to many, and keeps its partners`() throws {
        do {
            let context = ModelContext(try store.open(Extended.Item.self, Extended.Shelf.self))
            let items = try context.fetch(FetchDescriptor<Extended.Item>(sortBy: [SortDescriptor(\.code)]))
            for (title, members) in [("top", [items[0], items[1]]), ("low", [items[2]])] {
                let shelf = Extended.Shelf(title: title)
                context.insert(shelf)
                shelf.items = members
            }
            try context.save()
        }
        let context = ModelContext(try store.open(Kept.Item.self, Kept.Shelf.self, version: Schema.Version(2, 0, 0)))
        let shelves = try context.fetch(FetchDescriptor<Kept.Shelf>(sortBy: [SortDescriptor(\.title)]))
        #expect(shelves.map { Set($0.items.map(\.code)) } == [[3], [1, 2]])
    }

    @Test func `behaviours 31, 32: a delete rule may change without a version, a stage or a plan`() throws {
        do {
            let context = ModelContext(try store.open(Extended.Item.self, Extended.Shelf.self))
            let shelf = Extended.Shelf(title: "top")
            context.insert(shelf)
            shelf.items = try context.fetch(FetchDescriptor<Extended.Item>())
            try context.save()
        }
        let context = ModelContext(try store.open(Loosened.Item.self, Loosened.Shelf.self))
        try context.fetch(FetchDescriptor<Loosened.Shelf>()).forEach(context.delete)
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Loosened.Item>()).map(\.shelf?.title) == [nil, nil, nil])
    }

    @Test func `behaviour 33: a required property without a default is refused`() throws {
        try store.refuses(.loadIssueModelContainer, mentioning: "Item", "weight", "default") { try store.open(Required.Item.self) }
    }

    @Test func `behaviour 34: another type is refused`() throws {
        try store.refuses(.loadIssueModelContainer, mentioning: "Item", "name") { try store.open(Retyped.Item.self) }
    }

    @Test func `behaviour 37: a file that is refused opens with its own classes as before`() throws {
        try store.refuses(.loadIssueModelContainer) { try store.open(Required.Item.self) }
        #expect(try ModelContext(store.open(Plain.Item.self)).fetchCount(FetchDescriptor<Plain.Item>()) == 3)
    }

    @Test func `behaviour 59: a class that gains a subclass keeps its rows, as rows of the class itself`() throws {
        let context = ModelContext(try store.open(Graded.Item.self, Graded.Jar.self))
        #expect(try context.fetch(FetchDescriptor<Graded.Item>(sortBy: [SortDescriptor(\.code)])).map(\.name) == ["rice", "oats", ""])
        #expect(try context.fetchCount(FetchDescriptor<Graded.Jar>()) == 0)
        context.insert(Graded.Jar(code: 4, name: "jam", lid: "glass"))
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Graded.Jar>()).map(\.lid) == ["glass"])
        #expect(try context.fetchCount(FetchDescriptor<Graded.Item>()) == 4)
    }

    @Test func `a uniqueness that rows contradict is refused and names what stands twice`() throws {
        do {
            let context = ModelContext(try store.open(Plain.Item.self))
            context.insert(Plain.Item(code: 9, name: "rice"))
            try context.save()
        }
        try store.refuses(.loadIssueModelContainer, mentioning: "Item", "name") { try store.open(Named.Item.self) }
    }

    @Test func `a uniqueness that the rows keep is there afterwards`() throws {
        let context = ModelContext(try store.open(Named.Item.self))
        context.insert(Named.Item(code: 10, name: "rice"))
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Named.Item>(sortBy: [SortDescriptor(\.name)])).map(\.code) == [3, 2, 10])
    }

    @Test func `a program that may not write is told to wait for one that may`() throws {
        try store.refuses(.migrationRequired, mentioning: "Item", "note") {
            try ModelContainer(for: Noted.Item.self, configurations: ModelConfiguration(url: store.url, allowsSave: false))
        }
    }

    @Test func `a backup that cannot be made ends the migration before it begins, and says how much room it needs`() throws {
        do { _ = try store.open(Extended.Item.self, Extended.Shelf.self) }
        // Where the folder of backups should be, a file is.
        try Data().write(to: URL(filePath: store.url.path + ".backups"))
        try store.refuses(.loadIssueModelContainer, mentioning: "backed up", "1 MiB") {
            try store.open(Plain.Item.self, version: Schema.Version(2, 0, 0))
        }
        #expect(try ModelContext(store.open(Extended.Item.self, Extended.Shelf.self)).fetchCount(FetchDescriptor<Extended.Item>()) == 3)
    }

    @Test func `an older program does not take a newer one's properties away`() throws {
        do {
            let context = ModelContext(try store.open(Noted.Item.self))
            try context.fetch(FetchDescriptor<Noted.Item>()).forEach { $0.note = "kept" }
            try context.save()
        }
        try store.refuses(.storeIsNewer) { try store.open(Plain.Item.self) }
        #expect(try ModelContext(store.open(Noted.Item.self)).fetch(FetchDescriptor<Noted.Item>()).map(\.note) == ["kept", "kept", "kept"])
    }
}

enum Loosened {
    @Model final class Shelf {
        var title: String
        @Relationship(deleteRule: .nullify, inverse: \Item.shelf) var items: [Item] = []
        init(title: String) { self.title = title }
    }

    @Model final class Item {
        @Attribute(.unique) var code: Int
        var name: String
        var shelf: Shelf?
        init(code: Int, name: String) {
            self.code = code
            self.name = name
        }
    }
}
