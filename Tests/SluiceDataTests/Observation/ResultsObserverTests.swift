import Foundation
import Observation
import Synchronization
import Testing

@testable import SluiceData

@Model final class HeardTrack {
    var title: String
    var album: String?
    var genre = "none"
    var lowercased: String { title.lowercased() }

    init(title: String, album: String? = nil, genre: String = "none") {
        self.title = title
        self.album = album
        self.genre = genre
    }
}

@Model final class HeardListener {
    var name = ""

    init(name: String) { self.name = name }
}

@MainActor @Suite(.timeLimit(.minutes(10))) struct ResultsObserverTests {
    private let folder: StoreFolder
    private let container: ModelContainer
    private let context: ModelContext

    init() throws {
        folder = try StoreFolder()
        container = try folder.container(for: HeardTrack.self, HeardListener.self)
        context = ModelContext(container)
    }

    private func add(_ titles: String..., to context: ModelContext) throws {
        for title in titles { context.insert(HeardTrack(title: title)) }
        try context.save()
    }

    private func titles(_ observer: ResultsObserver<HeardTrack, Never>) -> [String] { observer.results.map(\.title).sorted() }

    /// The titles as they are now, and again whenever Observation says that they change.
    private func following(_ observer: ResultsObserver<HeardTrack, Never>) async -> Observations<[String], Never>.Iterator {
        var iterator = Observations { observer.results.map(\.title).sorted() }.makeAsyncIterator()
        _ = await iterator.next()
        return iterator
    }

    /// Waits until the titles are as expected. Without a word of the change it waits for good.
    private func reach(_ expected: [String], _ titles: inout Observations<[String], Never>.Iterator) async {
        while let seen = await titles.next() {
            if seen == expected { return }
        }
    }

    /// Whether the tracking closure was told of a change.
    private final class Word: Sendable {
        private let heard = Atomic<Bool>(false)
        var isHeard: Bool { heard.load(ordering: .acquiring) }
        func hear() { heard.store(true, ordering: .releasing) }
    }

    // MARK: Who changes

    @Test func `unsaved changes of its own context show at once`() throws {
        let observer = try ResultsObserver<HeardTrack, Never>(modelContext: context)
        let word = Word()
        withObservationTracking {
            #expect(observer.results.isEmpty)
        } onChange: {
            word.hear()
        }
        let track = HeardTrack(title: "a")
        context.insert(track)
        #expect(titles(observer) == ["a"])
        #expect(word.isHeard)
        #expect(observer.results.first === track)
        context.delete(track)
        #expect(titles(observer).isEmpty)
        context.insert(track)
        context.rollback()
        #expect(titles(observer).isEmpty)
    }

    @Test func `unsaved changes are told without being asked for`() async throws {
        let observer = try ResultsObserver<HeardTrack, Never>(modelContext: context)
        var titles = await following(observer)
        context.insert(HeardTrack(title: "a"))
        await reach(["a"], &titles)
        context.insert(HeardTrack(title: "b"))
        await reach(["a", "b"], &titles)
    }

    @Test func `saves of other contexts are told`() async throws {
        let observer = try ResultsObserver<HeardTrack, Never>(modelContainer: container)
        #expect(observer.modelContext !== context)
        var titles = await following(observer)
        try add("a", to: context)
        await reach(["a"], &titles)
        try add("b", to: ModelContext(container))
        await reach(["a", "b"], &titles)
    }

    @Test func `commits of another process are told, and its values show`() async throws {
        try add("a", to: context)
        let observer = try ResultsObserver<HeardTrack, Never>(modelContext: context)
        let track = try #require(observer.results.first)
        #expect(track.title == "a")
        var titles = await following(observer)
        try await Shell.run("INSERT INTO HeardTrack(_id, title, genre) VALUES ('t', 'typed', 'none')", on: folder.path())
        await reach(["a", "typed"], &titles)
        var title = Observations { track.title }.makeAsyncIterator()
        #expect(await title.next() == "a")
        try await Shell.run("UPDATE HeardTrack SET title = 'A' WHERE title = 'a'", on: folder.path())
        #expect(await title.next() == "A")
        #expect(self.titles(observer) == ["A", "typed"])
    }

    @Test func `an observer of a store that is only read hears of its owner`() async throws {
        let url = folder.url.appending(path: "test.store")
        let reading = try ModelContainer(
            for: Schema([HeardTrack.self, HeardListener.self]),
            configurations: [ModelConfiguration("reading", url: url, allowsSave: false)])
        let observer = try ResultsObserver<HeardTrack, Never>(modelContainer: reading)
        var titles = await following(observer)
        try add("a", to: context)
        await reach(["a"], &titles)
    }

    @Test func `an observer made on a model actor lives there`() async throws {
        let actor = TrackWatcher(modelContainer: container)
        try await actor.start()
        let (ready, begin) = AsyncStream<Void>.makeStream()
        async let done: Void = actor.wait(for: ["a"], ready: begin)
        for await _ in ready { break }
        try add("a", to: context)
        await done
    }

    @Test func `deletions by predicate show in the results (behaviour 83)`() async throws {
        try add("a", "b", to: context)
        let observer = try ResultsObserver<HeardTrack, Never>(modelContext: context)
        var titles = await following(observer)
        try ModelContext(container).delete(model: HeardTrack.self)
        await reach([], &titles)
    }

    // MARK: What is told

    @Test func `a burst of saves is one word`() async throws {
        let observer = try ResultsObserver<HeardTrack, Never>(modelContainer: container)
        var iterator = Observations { observer.results.count }.makeAsyncIterator()
        #expect(await iterator.next() == 0)
        // This actor is busy all the while, so that the observer cannot come in between.
        for index in 0..<50 { try add("\(index)", to: context) }
        #expect(await iterator.next() == 50)
    }

    @Test func `what leaves the results as they are is not told`() throws {
        try add("a", to: context)
        let observer = try ResultsObserver<HeardTrack, Never>(modelContainer: container)
        let word = Word()
        withObservationTracking {
            #expect(observer.results.count == 1)
        } onChange: {
            word.hear()
        }
        context.insert(HeardListener(name: "x"))
        try context.save()
        observer.refreshIfStale()
        #expect(!word.isHeard)
        try add("b", to: context)
        observer.refreshIfStale()
        #expect(word.isHeard)
    }

    @Test func `results that cannot be fetched anew stay, with the reason`() throws {
        try add("a", to: context)
        let observer = try ResultsObserver<HeardTrack, Never>(modelContext: context)
        container.invalidate()
        context.insert(HeardTrack(title: "b"))
        #expect(observer.results.count == 1)
        #expect(observer.fetchError is SwiftDataError)
        #expect(throws: SwiftDataError.self) { try ResultsObserver<HeardTrack, Never>(modelContainer: container) }
    }

    @Test func `results can be replaced until something changes`() throws {
        try add("a", "b", to: context)
        let observer = try ResultsObserver<HeardTrack, Never>(modelContext: context)
        observer.results = FetchResultsCollection([])
        #expect(observer.results.isEmpty)
        try add("c", to: context)
        #expect(observer.results.count == 3)
    }

    @Test func `nothing keeps an observer alive`() async throws {
        weak var gone: ResultsObserver<HeardTrack, Never>?
        do {
            let observer = try ResultsObserver<HeardTrack, Never>(modelContainer: container)
            gone = observer
            var titles = await following(observer)
            try add("a", to: context)
            await reach(["a"], &titles)
        }
        // A delivery may be under way; then nothing holds the observer any more. One that is kept alive would run into the time limit.
        while gone != nil { await Task.yield() }
    }
}

@ModelActor private actor TrackWatcher {
    private var observer: ResultsObserver<HeardTrack, Never>?

    func start() throws { observer = try ResultsObserver(modelContext: modelContext) }

    func wait(for expected: [String], ready: AsyncStream<Void>.Continuation) async {
        for await titles in Observations({ self.observer?.results.map(\.title) }) {
            ready.yield()
            if titles == expected { return }
        }
    }
}

/// Observers that no actor owns.
@Suite struct UnisolatedObserverTests {
    @Test func `an observer outside every actor is told on the thread of the change, and fetches when it is looked at`() throws {
        let folder = try StoreFolder()
        let container = try folder.container(for: HeardTrack.self, HeardListener.self)
        let observer = try ResultsObserver<HeardTrack, Never>(modelContainer: container)
        let context = ModelContext(container)
        for count in 1...3 {
            let changes = Mutex(0)
            withObservationTracking {
                #expect(observer.results.count == count - 1)
            } onChange: {
                changes.withLock { $0 += 1 }
            }
            context.insert(HeardTrack(title: "\(count)"))
            try context.save()
            #expect(changes.withLock { $0 } == 1)
            #expect(observer.results.count == count)
        }
    }
}
