import Foundation
import SluiceData
import SluiceSchema
import SluiceStore
import Testing

/// What fields are called on the wire, however often they are renamed.
@Suite struct WireNameTests {
    private func wireNames(_ store: MigrationFixture) throws -> [String] {
        let schema = try #require(try Store.schema(at: store.url.path))
        return schema.entities.flatMap { entity in [entity.wireName] + entity.attributes.map(\.wireName) }.sorted()
    }

    @Test func `a store that went through every version and one that was made by the newest call their fields alike`() throws {
        let (old, new) = (try MigrationFixture(), try MigrationFixture())
        do {
            let context = ModelContext(try old.open(Heading1.self, plan: HeadingPlan.self))
            context.insert(Heading1.Page(name: "one"))
            try context.save()
        }
        #expect(try ModelContext(old.open(Heading3.self, plan: HeadingPlan.self)).fetch(FetchDescriptor<Heading3.Sheet>()).map(\.heading) == ["one"])
        _ = try new.open(Heading3.self, plan: HeadingPlan.self)
        #expect(try wireNames(old) == ["Page", "name"])
        #expect(try wireNames(new) == ["Page", "name"])
    }

    @Test func `versions in between may be skipped`() throws {
        let store = try MigrationFixture()
        do { _ = try store.open(Heading2.self, plan: HeadingPlan.self) }
        _ = try store.open(Heading3.self, plan: HeadingPlan.self)
        #expect(try wireNames(store) == ["Page", "name"])
    }
}

enum Heading1: VersionedSchema {
    static let versionIdentifier = SluiceData.Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Page.self] }
    @Model final class Page {
        var name: String
        init(name: String) { self.name = name }
    }
}

enum Heading2: VersionedSchema {
    static let versionIdentifier = SluiceData.Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Page.self] }
    @Model final class Page {
        @Attribute(originalName: "name") var title: String
        init(title: String) { self.title = title }
    }
}

enum Heading3: VersionedSchema {
    static let versionIdentifier = SluiceData.Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Sheet.self] }
    @Model(originalName: "Page") final class Sheet {
        @Attribute(originalName: "title") var heading: String
        init(heading: String) { self.heading = heading }
    }
}

enum HeadingPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Heading1.self, Heading2.self, Heading3.self] }
    static var stages: [MigrationStage] {
        [.lightweight(fromVersion: Heading1.self, toVersion: Heading2.self), .lightweight(fromVersion: Heading2.self, toVersion: Heading3.self)]
    }
}
