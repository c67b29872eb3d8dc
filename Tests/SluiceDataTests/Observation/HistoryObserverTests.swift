import Foundation
import Observation
import SluiceSQLite
import SluiceStore
import Testing

@testable import SluiceData

@Suite(.timeLimit(.minutes(10))) struct HistoryObserverTests {
    private let folder: StoreFolder
    private let container: ModelContainer

    init() throws {
        folder = try StoreFolder()
        container = try folder.container(for: Vessel.self, Tug.self, HeardListener.self)
    }

    private func save(_ models: [any PersistentModel], author: String? = nil, in context: ModelContext? = nil) throws {
        let context = context ?? ModelContext(container)
        context.author = author
        for model in models { context.insert(model) }
        try context.save()
    }

    /// Waits until the counter says so much. Observation wakes it; without a word it waits for good.
    private func wait(for count: Int, _ observer: HistoryObserver) async {
        for await seen in Observations({ observer.eventCounter }) where seen >= count {
            #expect(seen == count)
            return
        }
    }

    @Test func `transactions of any context count, those before do not`() async throws {
        try save([Vessel(hull: "before")])
        let observer = try HistoryObserver(modelContainer: container)
        #expect(observer.eventCounter == 0)
        async let done: Void = wait(for: 2, observer)
        try save([Vessel(hull: "a"), Vessel(hull: "b")])
        try save([Vessel(hull: "c")])
        await done
    }

    @Test func `a commit of another process counts`() async throws {
        try save([Vessel(hull: "a")])
        let observer = try HistoryObserver(observedModels: [Vessel.self], authors: ["another program"], modelContainer: container)
        async let done: Void = wait(for: 1, observer)
        try await Shell.run("UPDATE Vessel SET tons = 4", on: folder.path())
        await done
    }

    @Test func `only the authors and classes asked for count`() async throws {
        let byAuthor = try HistoryObserver(authors: ["sync", "widget"], modelContainer: container)
        let byModel = try HistoryObserver(observedModels: [Vessel.self], modelContainer: container)
        let bySubclass = try HistoryObserver(observedModels: [Tug.self], modelContainer: container)
        try save([HeardListener(name: "a")], author: "app")
        try save([HeardListener(name: "b")], author: "widget")
        try save([Vessel(hull: "a")], author: nil)
        try save([Tug(hull: "t", pull: 1)], author: "sync")
        await wait(for: 2, byAuthor)
        await wait(for: 2, byModel)
        await wait(for: 1, bySubclass)
        #expect(byAuthor.authors == ["sync", "widget"] && byModel.observedModels.count == 1)
    }

    @Test func `the saves of its own context do not count, all others do`() async throws {
        let own = ModelContext(container)
        let observer = try HistoryObserver(modelContext: own)
        for index in 0..<20 {
            try save([HeardListener(name: "own \(index)")], in: own)
            try save([HeardListener(name: "other \(index)")])
        }
        await wait(for: 20, observer)
    }

    @Test func `from a token on, what is there already counts at once`() throws {
        let store = try #require(container.storeIdentifier(forConfigurationNamed: "test"))
        try save([HeardListener(name: "a")])
        let token = try #require(try ModelContext(container).fetchHistory(HistoryDescriptor<Transaction>()).last).token
        try save([HeardListener(name: "b")])
        try save([HeardListener(name: "c")])
        #expect(try HistoryObserver(historyTokens: [store: token], modelContainer: container).eventCounter == 2)
        #expect(try HistoryObserver(historyTokens: [:], modelContainer: container).eventCounter == 0)
        try ModelContext(container).deleteHistory(HistoryDescriptor<Transaction>())
        #expect(throws: SwiftDataError.historyTokenExpired) {
            try HistoryObserver(historyTokens: [store: token], modelContainer: container)
        }
    }

    @Test func `a migration's transactions are seen (behaviour 71)`() throws {
        try save([Vessel(hull: "a")], author: "app")
        let store = container.bindings.stores[0]
        let token = try #require(try ModelContext(container).fetchHistory(HistoryDescriptor<Transaction>()).last).token
        try store.write { store in
            try store.write(.migration) { try store.connection.execute("UPDATE Vessel SET tons = 1") }
        }
        let observer = try HistoryObserver(
            historyTokens: [store.identifier: token], observedModels: [Vessel.self], authors: ["migration"], modelContainer: container)
        #expect(observer.eventCounter == 1)
    }

    @Test @MainActor func `the counter moves on the actor that the observer was made on`() async throws {
        let observer = try HistoryObserver(modelContainer: container)
        async let done: Void = {
            for await count in Observations({ observer.eventCounter }) where count == 1 { return }
        }()
        try save([HeardListener(name: "a")])
        // This actor has not been left since the save: nothing can have moved.
        #expect(observer.eventCounter == 0)
        await done
        #expect(observer.eventCounter == 1)
    }

    @Test func `nothing keeps an observer alive`() async throws {
        weak var gone: HistoryObserver?
        do {
            let observer = try HistoryObserver(modelContainer: container)
            gone = observer
            try save([HeardListener(name: "a")])
            await wait(for: 1, observer)
        }
        while gone != nil { await Task.yield() }
    }
}
