import Dispatch
import Foundation
import SluiceData
import Testing

@Model final class Memo {
    @Attribute(.unique) var id: UUID
    var title: String
    var updatedAt: Date

    init(id: UUID = UUID(), title: String, updatedAt: Date = .now) {
        self.id = id
        self.title = title
        self.updatedAt = updatedAt
    }
}

struct MemoSummary: Sendable, Equatable {
    let id: UUID
    let title: String
}

/// The article's store actor (E4).
@ModelActor
actor MemoStore {
    func recent(limit: Int) throws -> [MemoSummary] {
        var descriptor = FetchDescriptor<Memo>(sortBy: [SortDescriptor(\.updatedAt, order: .reverse)])
        descriptor.fetchLimit = limit
        return try modelContext.fetch(descriptor).map { MemoSummary(id: $0.id, title: $0.title) }
    }

    func add(_ titles: [String]) throws -> [PersistentIdentifier] {
        let memos = titles.map { Memo(title: $0) }
        for memo in memos { modelContext.insert(memo) }
        try modelContext.save()
        return memos.map(\.persistentModelID)
    }

    func addOneByOne(_ count: Int, prefix: String) throws {
        for number in 0..<count {
            modelContext.insert(Memo(title: "\(prefix)\(number)"))
            try modelContext.save()
        }
    }

    func title(of id: PersistentIdentifier) -> String? { self[id, as: Memo.self]?.title }

    func rename(_ id: PersistentIdentifier, to title: String) throws {
        self[id, as: Memo.self]?.title = title
        try modelContext.save()
    }

    func remove(_ id: PersistentIdentifier) throws {
        if let memo = self[id, as: Memo.self] { modelContext.delete(memo) }
        try modelContext.save()
    }

    /// Ends the program on the main queue, and where the actor's executor is not what runs this.
    func checkPlace() {
        dispatchPrecondition(condition: .notOnQueue(.main))
        preconditionIsolated()
    }
}

struct ModelActorTests {
    @Test func `an actor gives the newest notes as values (E4)`() async throws {
        let folder = try StoreFolder()
        let container = try folder.container(for: Memo.self)
        let context = ModelContext(container)
        for number in 0..<5 {
            context.insert(Memo(title: "memo \(number)", updatedAt: Date(timeIntervalSinceReferenceDate: Double(number))))
        }
        try context.save()
        let recent = try await MemoStore(modelContainer: container).recent(limit: 2)
        #expect(recent.map(\.title) == ["memo 4", "memo 3"])
    }

    @Test @MainActor func `the work of an actor made on the main thread runs elsewhere`() async throws {
        let folder = try StoreFolder()
        let store = MemoStore(modelContainer: try folder.container(for: Memo.self))
        dispatchPrecondition(condition: .onQueue(.main))
        await store.checkPlace()
    }

    @Test func `two actors that save side by side lose nothing`() async throws {
        let folder = try StoreFolder()
        let container = try folder.container(for: Memo.self)
        let (one, other) = (MemoStore(modelContainer: container), MemoStore(modelContainer: container))
        async let first: Void = one.addOneByOne(60, prefix: "a")
        async let second: Void = other.addOneByOne(60, prefix: "b")
        _ = try await (first, second)
        let titles = try ModelContext(container).fetch(FetchDescriptor<Memo>()).map(\.title)
        #expect(titles.count == 120)
        #expect(Set(titles) == Set((0..<60).flatMap { ["a\($0)", "b\($0)"] }))
    }

    @Test func `an identifier crosses actors, and each side has its own instance of the row (S7, behaviours 79 and 80)`() async throws {
        let folder = try StoreFolder()
        let container = try folder.container(for: Memo.self)
        let (source, destination) = (MemoStore(modelContainer: container), MemoStore(modelContainer: container))
        let id = try #require(try await source.add(["milk"]).first)
        #expect(await destination.title(of: id) == "milk")
        try await destination.rename(id, to: "oat milk")

        let (left, right) = (ModelContext(container), ModelContext(container))
        let mine = try #require(left.model(for: id) as? Memo)
        let theirs = try #require(right.model(for: id) as? Memo)
        #expect(mine !== theirs)
        #expect(mine.title == "oat milk" && theirs.title == "oat milk")
        #expect(mine.persistentModelID == theirs.persistentModelID)
        theirs.title = "soy milk"
        try right.save()
        #expect(mine.title == "oat milk")
        #expect(try left.fetch(FetchDescriptor<Memo>()).first === mine)
        #expect(mine.title == "soy milk")
    }

    @Test func `an identifier of a row that is gone gives nothing`() async throws {
        let folder = try StoreFolder()
        let container = try folder.container(for: Memo.self)
        let store = MemoStore(modelContainer: container)
        let id = try #require(try await store.add(["milk"]).first)
        let other = MemoStore(modelContainer: container)
        try await store.remove(id)
        #expect(await store.title(of: id) == nil)
        #expect(await other.title(of: id) == nil)
    }

    @Test func `an executor of one's own is what an actor can stand on`() async throws {
        let folder = try StoreFolder()
        let container = try folder.container(for: Memo.self)
        let actor = HandMade(container)
        #expect(await actor.count() == 0)
    }
}

/// Written without the macro.
private actor HandMade: ModelActor {
    nonisolated let modelContainer: ModelContainer
    nonisolated let modelExecutor: any ModelExecutor

    init(_ container: ModelContainer) {
        modelContainer = container
        modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(container))
    }

    func count() -> Int { (try? modelContext.fetchCount(FetchDescriptor<Memo>())) ?? -1 }
}
