import Foundation
import SluiceData
import SluiceEmbedded
import Testing

/// The articles' way out of sharing a synced store: one program syncs and fills a group container, the others read that (behaviours 74 to 77).
struct SplitTests {
    private func withFixture(_ body: (SplitFixture) async throws -> Void) async throws {
        let fixture = try SplitFixture()
        defer { fixture.remove() }
        try await body(fixture)
    }

    /// Waits until the other program reads what is expected: the coordinator projects a moment after the save.
    private func expectGroup(_ wanted: [String], _ fixture: SplitFixture) async throws {
        var seen: [String] = []
        for _ in 0..<200 {
            seen = try fixture.run("group", fixture.group).lines
            if seen == wanted { return }
            try await Task.sleep(for: .milliseconds(25))
        }
        #expect(seen == wanted)
    }

    @Test func `behaviour 76: a second process reads typed what the synced store's owner projects, without entitlement`() async throws {
        try await withFixture { fixture in
            let coordinator = try await fixture.embed()
            let context = ModelContext(try ModelContainer(for: Errand.self, configurations: fixture.synced))
            context.insert(Errand(title: "milk"))
            context.insert(Errand(title: "bread"))
            try context.save()
            try await expectGroup(["bread", "milk"], fixture)
            let milk = try #require(try context.fetch(FetchDescriptor<Errand>(sortBy: [SortDescriptor(\.title)])).last)
            milk.title = "oat milk"
            try context.save()
            try await expectGroup(["bread", "oat milk"], fixture)
            await coordinator.stop()
            try await expectGroup(["bread", "oat milk"], fixture)
        }
    }

    @Test func `behaviour 76: another process may not open the synced store, not even to read`() async throws {
        try await withFixture { fixture in
            let coordinator = try await fixture.embed()
            #expect(try fixture.run("private", fixture.container).lines == ["refused: missingEntitlement"])
            let store = fixture.folder.appending(path: "state/Private.store").path
            #expect(try fixture.run("file", store).lines == ["refused: ownedBy"])
            #expect(try fixture.run("write", store, "mine").lines == ["refused: ownedBy"])
            await coordinator.stop()
            #expect(try fixture.run("file", store).lines.first?.hasPrefix("refused: ") == true)
        }
    }

    @Test func `behaviour 77: a private configuration needs the entitlement, and its identifier stays readable`() async throws {
        try await withFixture { fixture in
            let configuration = fixture.synced
            #expect(configuration.cloudKitContainerIdentifier == fixture.container)
            #expect { try ModelContainer(for: Errand.self, configurations: configuration) } throws: { SwiftDataError.missingEntitlement ~= $0 }
            let coordinator = try await fixture.embed()
            _ = try ModelContainer(for: Errand.self, configurations: configuration)
            await #expect(throws: EmbeddingError.self) { _ = try await fixture.embed() }
            await coordinator.stop()
            #expect { try ModelContainer(for: Errand.self, configurations: configuration) } throws: { SwiftDataError.missingEntitlement ~= $0 }
        }
    }

    @Test func `a program holds a synced and a local configuration side by side`() async throws {
        try await withFixture { fixture in
            let coordinator = try await fixture.embed()
            let local = ModelConfiguration("Local", schema: Schema([Scrap.self]), url: fixture.folder.appending(path: "local.store"))
            let container = try ModelContainer(for: Schema([Errand.self, Scrap.self]), configurations: [fixture.synced, local])
            let context = ModelContext(container)
            context.insert(Errand(title: "milk"))
            context.insert(Scrap(text: "note"))
            try context.save()
            #expect(try ModelContext(container).fetchCount(FetchDescriptor<Scrap>()) == 1)
            try await expectGroup(["milk"], fixture)
            await coordinator.stop()
        }
    }

    @Test func `rules of the program are for what is stored, and go before the account file`() async throws {
        try await withFixture { fixture in
            let rules: [MergeRule] = [.rows(of: Errand.self, .clientWins), .field(\Errand.title, .serverWins)]
            let coordinator = try await fixture.embed(merging: rules)
            await coordinator.stop()
            let error = await #expect(throws: EmbeddingError.self) { _ = try await fixture.embed(merging: [.field(\Errand.title.count, .serverWins)]) }
            #expect(error?.reason.contains("about nothing that Errand stores") == true)
            await #expect(throws: EmbeddingError.self) { _ = try await fixture.embed(merging: [.field(\Scrap.text, .serverWins)]) }
        }
    }

    @Test func `an unsynced account file is refused with its reason`() async throws {
        try await withFixture { fixture in
            await #expect(throws: EmbeddingError.self) {
                _ = try await SluiceCoordinator.embed(account: "nobody", models: [Errand.self], configurationDirectory: fixture.folder.path)
            }
        }
    }
}

/// A model that stays in this program.
@Model
final class Scrap {
    var text: String
    init(text: String) { self.text = text }
}
