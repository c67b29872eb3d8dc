import SwiftData
import Testing

/// Behaviours 79 to 85: contexts, actors, and what the store does for a fetch.
@Suite struct ConcurrencyAndFetchingBehaviours {
    /// Items of one name each, in an order that is not theirs.
    private func container(_ names: [String]) throws -> ModelContainer {
        let container = try ModelContainer.inMemory(ShoppingItem.self)
        let context = ModelContext(container)
        for (order, name) in names.enumerated() {
            context.insert(ShoppingItem(name: name, amount: "1", section: order.isMultiple(of: 2) ? "dairy" : "bakery", sortOrder: order))
        }
        try context.save()
        return container
    }

    @Test func `behaviour 79: a model that is fetched again elsewhere is that context's own instance of the row`() throws {
        let container = try container(["milk"])
        let (here, there) = (ModelContext(container), ModelContext(container))
        let item = try #require(try here.all(ShoppingItem.self).first)
        let fetched = try #require(there.model(for: item.persistentModelID) as? ShoppingItem)
        #expect(fetched !== item)
        #expect(fetched.persistentModelID == item.persistentModelID && fetched.name == "milk")
        #expect(fetched.modelContext == there && item.modelContext == here)
        fetched.name = "oat milk"
        #expect(item.name == "milk")
        try there.save()
        #expect(try here.all(ShoppingItem.self).first === item)
        #expect(item.name == "oat milk")
    }

    @Test func `behaviour 80: identifiers and values cross actors, and each side has its own context`() async throws {
        let container = try container(["milk"])
        let (source, destination) = (ItemSource(modelContainer: container), ItemDestination(modelContainer: container))
        let (id, snapshot) = try #require(try await source.snapshot(named: "milk"))
        #expect(snapshot.name == "milk" && !snapshot.isChecked)
        #expect(try await destination.check(id, as: "oat milk") == "milk")
        let (_, after) = try #require(try await source.snapshot(named: "oat milk"))
        #expect(after.isChecked)
    }

    @Test func `behaviour 80: an actor that would hand out its models does not compile`() throws {
        func source(_ type: String, _ value: String) -> String {
            """
            import SwiftData
            @Model final class Note { var title: String; init(title: String) { self.title = title } }
            @ModelActor actor Notes {
                func first() throws -> \(type) { try modelContext.fetch(FetchDescriptor<Note>()).first\(value) }
            }
            func use(_ notes: Notes) async throws { print(try await notes.first() as Any) }
            """
        }
        let graph = try Compiler.check(source("Note?", ""), languageMode: "6")
        #expect(!graph.compiles && graph.diagnostics.contains("Note"), "\(graph.diagnostics)")
        let value = try Compiler.check(source("String?", "?.title"), languageMode: "6")
        #expect(value.compiles, "\(value.diagnostics)")
    }

    @Test @MainActor func `behaviour 81: a background save and the main context are two views until the next fetch`() async throws {
        let container = try container(["milk"])
        let main = container.mainContext
        main.autosaveEnabled = false
        let item = try #require(try main.all(ShoppingItem.self).first)
        item.amount = "2"
        let id = item.persistentModelID
        #expect(try await ItemDestination(modelContainer: container).check(id, as: "oat milk") == "milk")
        #expect(item.name == "milk" && item.amount == "2")
        _ = try main.all(ShoppingItem.self)
        #expect(item.name == "oat milk" && item.isChecked && item.amount == "2")
        try main.save()
        let stored = try #require(try ModelContext(container).all(ShoppingItem.self).first)
        #expect(stored.name == "oat milk" && stored.isChecked && stored.amount == "2")
    }

    @Test func `behaviour 82: predicate, order and limit are the store's work`() throws {
        let context = ModelContext(try container((0..<40).map { "item \($0)" }))
        var descriptor = FetchDescriptor<ShoppingItem>(
            predicate: #Predicate { $0.section == "dairy" && $0.sortOrder > 3 }, sortBy: [SortDescriptor(\.sortOrder, order: .reverse)])
        descriptor.fetchLimit = 3
        let found = try context.fetch(descriptor)
        #expect(found.map(\.sortOrder) == [38, 36, 34])
        descriptor.fetchOffset = 2
        #expect(try context.fetch(descriptor).map(\.sortOrder) == [34, 32, 30])
        // Nothing but what was asked for came into the context.
        let others = try ModelContext(context.container).fetchIdentifiers(FetchDescriptor<ShoppingItem>()).filter { id in
            let registered: ShoppingItem? = context.registeredModel(for: id)
            return registered == nil
        }
        #expect(others.count == 40 - 3)
        withExtendedLifetime(found) {}
    }

    @Test func `behaviour 82: an expression that the store cannot work out is refused, not run over all rows`() throws {
        let context = ModelContext(try container(["milk"]))
        let descriptor = FetchDescriptor<ShoppingItem>(predicate: #Predicate { $0.shelf == 3 })
        #expect(throws: SwiftDataError.unsupportedPredicate) { try context.fetch(descriptor) }
    }

    @Test func `behaviour 84: delete model where takes the rows that match`() throws {
        let context = ModelContext(try container((0..<10).map { "item \($0)" }))
        try context.delete(model: ShoppingItem.self, where: #Predicate { $0.section == "bakery" })
        #expect(try ModelContext(context.container).all(ShoppingItem.self).map(\.section) == Array(repeating: "dairy", count: 5))
        try context.delete(model: ShoppingItem.self)
        #expect(try ModelContext(context.container).count(ShoppingItem.self) == 0)
    }
}

extension ShoppingItem {
    /// Worked out in Swift: no column.
    fileprivate var shelf: Int { name.utf8.count }
}
