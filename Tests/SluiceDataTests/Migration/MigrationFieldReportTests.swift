import Foundation
import SluiceData
import SluiceSchema
import SluiceStore
import Testing

// What went wrong for others with versions, as they reported it.

private enum Shipped {
    @Model final class Item {
        var name: String
        init(name: String) { self.name = name }
    }
}

private enum DeclaredV1: VersionedSchema {
    static let versionIdentifier = SluiceData.Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }

    @Model final class Item {
        var name: String
        init(name: String) { self.name = name }
    }
}

private enum WrongV1: VersionedSchema {
    static let versionIdentifier = SluiceData.Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }

    @Model final class Item {
        var name: String
        var age: Int = 0
        init(name: String) { self.name = name }
    }
}

private enum DeclaredV2: VersionedSchema {
    static let versionIdentifier = SluiceData.Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }

    @Model final class Item {
        var name: String
        var note: String = ""
        init(name: String) { self.name = name }
    }
}

private enum LatePlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [DeclaredV1.self, DeclaredV2.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: DeclaredV1.self, toVersion: DeclaredV2.self)] }
}

private enum WrongPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [WrongV1.self, DeclaredV2.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: WrongV1.self, toVersion: DeclaredV2.self)] }
}

private enum Cached {
    @Model final class Image {
        var url: String
        init(url: String) { self.url = url }
    }
}

private enum Expiring {
    @Model final class Image {
        var url: String
        var expiry: Date
        init(url: String, expiry: Date) {
            self.url = url
            self.expiry = expiry
        }
    }
}

private enum Defaulted {
    @Model final class Image {
        var url: String
        var expiry: Date = Date(timeIntervalSinceReferenceDate: 0)
        init(url: String) { self.url = url }
    }
}

private enum Stamped {
    @Model final class Image {
        var url: String
        var token: UUID = UUID()
        var made: Date = Date.now
        init(url: String) { self.url = url }
    }
}

@Suite struct MigrationFieldReportTests {
    private let store: MigrationFixture

    init() throws { store = try MigrationFixture() }

    @Test func `09 a store that was shipped without a plan is the first version of one, at the first launch`() throws {
        do {
            let context = ModelContext(try store.open(Shipped.Item.self))
            for name in ["a", "b", "c"] { context.insert(Shipped.Item(name: name)) }
            try context.save()
        }
        try store.refuses(.unknownSchema, mentioning: "Item.age") { try store.open(DeclaredV2.self, plan: WrongPlan.self) }
        #expect(try ModelContext(store.open(Shipped.Item.self)).fetchCount(FetchDescriptor<Shipped.Item>()) == 3)
        let items = try ModelContext(store.open(DeclaredV2.self, plan: LatePlan.self)).fetch(FetchDescriptor<DeclaredV2.Item>())
        #expect(items.map(\.name).sorted() == ["a", "b", "c"])
        #expect(items.allSatisfy { $0.note == "" })
        #expect(try Store.schema(at: store.url.path)?.version == SchemaVersion(2, 0, 0))
    }

    @Test func `R2 a new required property without a default is refused by name and loses no row; with a default every row has it`() throws {
        do {
            let context = ModelContext(try store.open(Cached.Image.self))
            for url in ["a", "b", "c"] { context.insert(Cached.Image(url: url)) }
            try context.save()
        }
        try store.refuses(.loadIssueModelContainer, mentioning: "Image.expiry") { try store.open(Expiring.Image.self) }
        #expect(try ModelContext(store.open(Cached.Image.self)).fetchCount(FetchDescriptor<Cached.Image>()) == 3)
        let images = try ModelContext(store.open(Defaulted.Image.self)).fetch(FetchDescriptor<Defaulted.Image>())
        #expect(images.count == 3)
        #expect(images.allSatisfy { $0.expiry == Date(timeIntervalSinceReferenceDate: 0) })
    }

    @Test func `behaviour 24: a default that is worked out anew each time gives every row that is there one of its own, once`() throws {
        do {
            let context = ModelContext(try store.open(Cached.Image.self))
            for url in ["a", "b", "c"] { context.insert(Cached.Image(url: url)) }
            try context.save()
        }
        let begin = Date.now
        func read() throws -> [Stamped.Image] {
            try ModelContext(store.open(Stamped.Image.self)).fetch(FetchDescriptor<Stamped.Image>(sortBy: [SortDescriptor(\.url)]))
        }
        let images = try read()
        let (tokens, dates) = (images.map(\.token), images.map(\.made))
        #expect(Set(tokens).count == 3)
        #expect(dates.allSatisfy { (begin.addingTimeInterval(-1)...Date.now).contains($0) })
        #expect(try read().map(\.token) == tokens)
        #expect(try store.migrationEntryCount == 6)
    }
}
