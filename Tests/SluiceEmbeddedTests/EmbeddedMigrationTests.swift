import Foundation
import SluiceData
import SluiceEmbedded
import Testing

enum ErrandsV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Errand.self] }

    @Model final class Errand {
        @Attribute(.unique) var id: UUID
        var title: String

        init(id: UUID = UUID(), title: String) {
            self.id = id
            self.title = title
        }
    }
}

enum ErrandsV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Errand.self] }

    @Model final class Errand {
        @Attribute(.unique) var id: UUID
        @Attribute(originalName: "title") var text: String
        var place: String?

        init(id: UUID = UUID(), text: String) {
            self.id = id
            self.text = text
        }
    }
}

enum ErrandsPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [ErrandsV1.self, ErrandsV2.self] }
    static var stages: [MigrationStage] {
        [
            .custom(fromVersion: ErrandsV1.self, toVersion: ErrandsV2.self, willMigrate: nil) { context in
                for errand in try context.fetch(FetchDescriptor<ErrandsV2.Errand>()) {
                    let parts = errand.text.split(separator: "@")
                    if parts.count == 2 { (errand.text, errand.place) = (String(parts[0]), String(parts[1])) }
                }
            }
        ]
    }
}

enum BrokenErrandsPlan: SchemaMigrationPlan {
    struct NoPlace: Error, CustomStringConvertible { let description = "an errand has no place" }
    static var schemas: [any VersionedSchema.Type] { ErrandsPlan.schemas }
    static var stages: [MigrationStage] {
        [.custom(fromVersion: ErrandsV1.self, toVersion: ErrandsV2.self, willMigrate: { _ in throw NoPlace() }, didMigrate: nil)]
    }
}

/// The program that owns a synced store migrates it with its plan, before any container of it is opened.
struct EmbeddedMigrationTests {
    private func embed(
        _ fixture: SplitFixture, _ models: [any PersistentModel.Type], _ plan: (any SchemaMigrationPlan.Type)? = nil
    ) async throws -> EmbeddedCoordinator {
        try await SluiceCoordinator.embed(
            account: "errands", models: models, migrationPlan: plan, configurationDirectory: fixture.folder.path)
    }

    private func context(_ fixture: SplitFixture, _ model: any PersistentModel.Type) throws -> ModelContext {
        let synced = ModelConfiguration("Synced", schema: Schema([model]), cloudKitDatabase: .private(fixture.container))
        return ModelContext(try ModelContainer(for: Schema([model]), configurations: synced))
    }

    private func prepare(_ fixture: SplitFixture) async throws {
        let coordinator = try await embed(fixture, [ErrandsV1.Errand.self])
        let context = try context(fixture, ErrandsV1.Errand.self)
        for title in ["milk@dairy", "bread"] { context.insert(ErrandsV1.Errand(title: title)) }
        try context.save()
        await coordinator.stop()
    }

    @Test func `a synced store goes through the plan of the program that embeds its coordinator`() async throws {
        let fixture = try SplitFixture()
        defer { fixture.remove() }
        try await prepare(fixture)
        let coordinator = try await embed(fixture, [ErrandsV2.Errand.self], ErrandsPlan.self)
        let context = try context(fixture, ErrandsV2.Errand.self)
        let errands = try context.fetch(FetchDescriptor<ErrandsV2.Errand>(sortBy: [SortDescriptor(\.text)]))
        #expect(errands.map(\.text) == ["bread", "milk"])
        #expect(errands.map(\.place) == [nil, "dairy"])
        context.insert(ErrandsV2.Errand(text: "salt"))
        try context.save()
        await coordinator.stop()
        let again = try await embed(fixture, [ErrandsV2.Errand.self], ErrandsPlan.self)
        #expect(try self.context(fixture, ErrandsV2.Errand.self).fetchCount(FetchDescriptor<ErrandsV2.Errand>()) == 3)
        await again.stop()
    }

    @Test func `a plan that fails leaves the synced store as it was, and says why`() async throws {
        let fixture = try SplitFixture()
        defer { fixture.remove() }
        try await prepare(fixture)
        let error = await #expect(throws: EmbeddingError.self) { try await embed(fixture, [ErrandsV2.Errand.self], BrokenErrandsPlan.self) }
        #expect(error?.reason.contains("an errand has no place") == true, "\(error?.reason ?? "")")
        let coordinator = try await embed(fixture, [ErrandsV1.Errand.self])
        #expect(try context(fixture, ErrandsV1.Errand.self).fetchCount(FetchDescriptor<ErrandsV1.Errand>()) == 2)
        await coordinator.stop()
    }

    @Test func `classes that are those of no version of the plan are refused before the store is touched`() async throws {
        let fixture = try SplitFixture()
        defer { fixture.remove() }
        try await prepare(fixture)
        let error = await #expect(throws: EmbeddingError.self) { try await embed(fixture, [Errand.self], ErrandsPlan.self) }
        #expect(error?.reason.contains("those of no version of ErrandsPlan") == true, "\(error?.reason ?? "")")
    }
}
