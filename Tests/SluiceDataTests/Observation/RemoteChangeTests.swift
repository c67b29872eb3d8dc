import Foundation
import SluiceData
import Testing

@Suite(.timeLimit(.minutes(10))) struct RemoteChangeTests {
    @Test func `a commit of another process is posted, one of this process is not`() async throws {
        let folder = try StoreFolder()
        let container = try folder.container(for: HeardListener.self)
        let context = ModelContext(container)
        let (words, word) = AsyncStream<DefaultHistoryToken?>.makeStream()
        let observer = NotificationCenter.default.addObserver(forName: ModelContainer.remoteChange, object: container, queue: nil) {
            word.yield($0.userInfo?["historyToken"] as? DefaultHistoryToken)
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        context.insert(HeardListener(name: "a"))
        try context.save()
        try await Shell.run("UPDATE HeardListener SET name = 'typed'", on: folder.path())
        let newest = try #require(try context.fetchHistory(HistoryDescriptor<Transaction>()).last)
        for await token in words {
            // Posted for this process's save, it would be the token of that.
            #expect(token == newest.token)
            break
        }
    }

    @Test func `a container that was invalidated is closed`() throws {
        let folder = try StoreFolder()
        let container = try folder.container(for: HeardListener.self)
        let context = ModelContext(container)
        let listener = HeardListener(name: "a")
        context.insert(listener)
        try context.save()
        let store = try #require(container.storeIdentifier(forConfigurationNamed: "test"))
        #expect(container.configurationName(forStoreIdentifier: store) == "test")
        container.invalidate()
        #expect(container.storeIdentifier(forConfigurationNamed: "test") == nil)
        #expect(container.configurationName(forStoreIdentifier: store) == nil)
        #expect(throws: SwiftDataError.self) { try context.fetch(FetchDescriptor<HeardListener>()) }
        listener.name = "b"
        #expect(throws: SwiftDataError.self) { try context.save() }
        #expect(listener.name == "b")
        let other = try folder.container(for: HeardListener.self)
        #expect(try ModelContext(other).fetch(FetchDescriptor<HeardListener>()).map(\.name) == ["a"])
    }
}
