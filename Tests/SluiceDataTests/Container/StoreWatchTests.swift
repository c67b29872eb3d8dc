import Dispatch
import Foundation
import SluiceSQLite
import Synchronization
import Testing

@testable import SluiceData

@Suite(.timeLimit(.minutes(10))) struct StoreWatchTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func watch(_ onCommit: @escaping @Sendable () -> Void = {}) -> StoreWatch {
        StoreWatch(path: folder.path(), hasNews: { true }, onCommit: onCommit)
    }

    @Test func `a watch runs as long as somebody listens`() {
        let changes = StoreChanges()
        #expect(!changes.isWatching)
        var first: Listening? = changes.listen(watchingBy: { watch() }, { _ in })
        var second: Listening? = changes.listen(watchingBy: { watch() }, { _ in })
        #expect(changes.isWatching)
        first = nil
        #expect(changes.isWatching)
        second = nil
        #expect(!changes.isWatching)
        _ = (first, second)
    }

    @Test func `a listener hears every commit until it is let go of`() {
        let changes = StoreChanges()
        let heard = Mutex<[Int64?]>([])
        var listening: Listening? = changes.listen(watchingBy: { nil }, { commit in heard.withLock { $0.append(commit.position) } })
        changes.announce(StoreCommit(position: 1, editor: nil))
        changes.announce(StoreCommit(position: nil, editor: nil, isForeign: true))
        listening = nil
        changes.announce(StoreCommit(position: 3, editor: nil))
        #expect(heard.withLock { $0 } == [1, nil])
        _ = listening
    }

    @Test(arguments: ["test.store", "test.store-wal"])
    func `writing one of the store's files is a sign of life`(name: String) async throws {
        let (words, word) = AsyncStream<Void>.makeStream()
        let watch = watch { word.yield() }
        try await write(name, until: words)
        withExtendedLifetime(watch) {}
    }

    @Test func `a folder that the kernel cannot watch is looked at now and then`() async throws {
        let (words, word) = AsyncStream<Void>.makeStream()
        let path = folder.url.appending(path: "absent/test.store").path
        let watch = StoreWatch(path: path, hasNews: { true }, onCommit: { word.yield() })
        for await _ in words { break }
        withExtendedLifetime(watch) {}
    }

    @Test func `names of files that change are heard, of the folder that is watched only`() async throws {
        let (words, word) = AsyncStream<Set<String>?>.makeStream()
        let queue = DispatchQueue(label: "test")
        let other = try StoreFolder()
        let watch = try #require(DirectoryWatch(of: folder.url.path, queue: queue) { word.yield($0) })
        try Data("x".utf8).write(to: other.url.appending(path: "elsewhere"))
        try Data("x".utf8).write(to: folder.url.appending(path: "a name of a file"))
        for await names in words {
            #expect(names == ["a name of a file"])
            break
        }
        withExtendedLifetime(watch) {}
        #expect(DirectoryWatch(of: folder.path("absent"), queue: queue, onChange: { _ in }) == nil)
    }

    /// Writes until the watch says something: it may not have begun when the first byte is written.
    private func write(_ name: String, until words: AsyncStream<Void>) async throws {
        let url = folder.url.appending(path: name)
        let writing = Task {
            while !Task.isCancelled {
                try Data("x".utf8).write(to: url)
                await Task.yield()
            }
        }
        for await _ in words { break }
        writing.cancel()
        _ = try await writing.value
    }
}
