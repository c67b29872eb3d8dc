import SwiftData
import Testing

/// Behaviours 10, 72, 83 and 85: what watches a store, and what its history tells.
@MainActor @Suite(.timeLimit(.minutes(10))) struct ObservationBehaviours {
    private let container: ModelContainer
    private let context: ModelContext

    init() throws {
        container = try .inMemory(ShoppingItem.self, Note.self)
        context = ModelContext(container)
        for name in ["bread", "milk", "soap"] { context.insert(ShoppingItem(name: name, amount: "1", section: "any")) }
        try context.save()
    }

    private func observer() throws -> ResultsObserver<ShoppingItem, Never> {
        try ResultsObserver(filterBy: #Predicate { !$0.isChecked }, sortBy: [SortDescriptor(\.name)], modelContext: context)
    }

    /// Waits for Observation to tell of these names. Without a word it waits for good, and the time limit ends it.
    private func follow(
        _ observer: ResultsObserver<ShoppingItem, Never>, to expected: [String], after change: () async throws -> Void
    ) async throws {
        var names = Observations { observer.results.map(\.name) }.makeAsyncIterator()
        let first = await names.next()
        #expect(first != expected)
        try await change()
        while let seen = await names.next() {
            if seen == expected { return }
        }
    }

    @Test func `behaviour 10: results that are observed follow a change that matters to their predicate`() async throws {
        let observer = try observer()
        #expect(observer.results.map(\.name) == ["bread", "milk", "soap"])
        let milk = try #require(observer.results.first { $0.name == "milk" })
        try await follow(observer, to: ["bread", "soap"]) { milk.isChecked = true }
        try await follow(observer, to: ["bread", "milk", "soap"]) {
            milk.isChecked = false
            try context.save()
        }
    }

    @Test func `behaviour 72: history is filtered by author and by model`() throws {
        context.author = "app"
        context.insert(Note(title: "one"))
        context.insert(ShoppingItem(name: "tea", amount: "1", section: "any"))
        try context.save()
        let helper = ModelContext(container)
        helper.author = "widget"
        helper.insert(Note(title: "two"))
        try helper.save()
        let app = "app"
        let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == app }))
        #expect(transactions.map(\.author) == ["app"])
        let notes = transactions.flatMap(\.changes).filter { change in
            if case .insert(let insertion) = change { insertion is DefaultHistoryInsert<Note> } else { false }
        }
        #expect(notes.map { (context.model(for: $0.changedPersistentIdentifier) as? Note)?.title } == ["one"])
    }

    @Test func `behaviour 83: what a batch did in the background is in the main context's results`() async throws {
        let main = container.mainContext
        let observer = try ResultsObserver<ShoppingItem, Never>(sortBy: [SortDescriptor(\.name)], modelContext: main)
        try await follow(observer, to: ["bread"]) { try await Cleaner(modelContainer: container).deleteAll(after: "bread") }
        #expect(try main.fetch(FetchDescriptor<ShoppingItem>()).map(\.name) == ["bread"])
    }

    @Test func `behaviour 85: an observer needs no view, and hears of other contexts`() async throws {
        let observer = try observer()
        try await follow(observer, to: ["bread", "milk", "soap", "tea"]) {
            let other = ModelContext(container)
            other.insert(ShoppingItem(name: "tea", amount: "1", section: "any"))
            try other.save()
        }
    }

    @Test func `HistoryObserver counts what others write, by model and author`() async throws {
        let observer = try HistoryObserver(observedModels: [Note.self], authors: ["widget"], modelContainer: container)
        let helper = ModelContext(container)
        for (author, title) in [("app", "one"), ("widget", "two")] {
            helper.author = author
            helper.insert(Note(title: title))
            try helper.save()
        }
        for await count in Observations({ observer.eventCounter }) where count > 0 {
            #expect(count == 1)
            break
        }
    }
}

/// Background work in a batch.
@ModelActor
actor Cleaner {
    func deleteAll(after name: String) throws {
        try modelContext.delete(model: ShoppingItem.self, where: #Predicate { $0.name > name })
    }
}
