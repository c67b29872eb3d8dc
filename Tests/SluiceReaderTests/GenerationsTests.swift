import Foundation
import SluiceGroup
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceReader

/// What a reader is told of, and what it costs when it is over.
@Suite(.serialized, .timeLimit(.minutes(10))) struct GenerationsTests {
    private func next(_ iterator: inout Generations.Iterator) async -> ContainerStatus? { await iterator.next() }

    /// Takes statuses until one of them is what is looked for.
    private func first(
        _ iterator: inout Generations.Iterator, where isWanted: (ContainerStatus) -> Bool
    ) async throws -> ContainerStatus {
        while let status = await iterator.next() { if isWanted(status) { return status } }
        throw CancellationError()
    }

    @Test func `a container that is not there yet, comes, gets another file, goes and comes again is followed through all of it`() async throws {
        let fixture = try ReaderFixture()
        var iterator = fixture.container.generations(pollInterval: .milliseconds(20)).makeAsyncIterator()
        #expect(await iterator.next() == .noStore)
        try fixture.put("milk")
        var writer: LocalStoreWriter? = try fixture.writer()
        let first = try #require(try writer?.update(from: fixture.store))
        let one = try await self.first(&iterator) { $0.summary?.generation == first.number }
        #expect(one.word == "current" && one.summary?.file == first.file.name)
        try fixture.put("bread")
        try writer?.update(from: fixture.store)
        _ = try await self.first(&iterator) { $0.summary?.generation == first.number + 1 }
        let rebuilt = try #require(try writer?.rebuild(from: fixture.store))
        let replaced = try await self.first(&iterator) { $0.summary?.generation == rebuilt.number }
        #expect(replaced.summary?.file == rebuilt.file.name && rebuilt.file != first.file)
        writer = nil
        try FileManager.default.moveItem(atPath: fixture.group, toPath: fixture.group + ".away")
        _ = try await self.first(&iterator) { $0 == .noStore }
        try FileManager.default.moveItem(atPath: fixture.group + ".away", toPath: fixture.group)
        let again = try await self.first(&iterator) { $0.summary != nil }
        #expect(again.summary?.generation == rebuilt.number)
        try fixture.put("cheese")
        writer = try fixture.writer()
        let last = try #require(try writer?.update(from: fixture.store))
        _ = try await self.first(&iterator) { $0.summary?.generation == last.number }
    }

    @Test func `a migration's stages and its end are told, and the rows stay readable`() async throws {
        let fixture = try ReaderFixture()
        try fixture.put("milk")
        let writer = try fixture.writer()
        try writer.update(from: fixture.store)
        var iterator = fixture.container.generations().makeAsyncIterator()
        #expect(await iterator.next()?.word == "current")
        for stage in 1...2 {
            let progress = MigrationProgress(stage: stage, of: 2, named: "stage \(stage)")
            try writer.directory.announce(.migrating(progress))
            let status = try await first(&iterator) { if case .migrating(progress, _) = $0 { true } else { false } }
            #expect(status.summary?.generation == 1 && status.exitStatus == 75)
        }
        try writer.directory.announce(.current)
        #expect(await iterator.next()?.word == "current")
    }

    @Test func `a sync that is too long ago becomes news when it becomes so, though nothing was written`() async throws {
        let fixture = try ReaderFixture()
        try fixture.put("milk")
        let synced = Date(milliseconds: Date().milliseconds)
        try fixture.writer().update(from: fixture.store, lastSync: synced)
        var iterator = fixture.container.generations(staleAfter: .milliseconds(400)).makeAsyncIterator()
        let stale = try await first(&iterator) { $0.word == "stale" }
        guard case .stale(let since, let summary) = stale else { return }
        #expect(since == synced && summary.generation == 1 && stale.exitStatus == 75)
    }

    @Test func `who is slow gets the newest generation, not a queue of them`() async throws {
        let fixture = try ReaderFixture()
        let writer = try fixture.writer()
        try fixture.put("0")
        try writer.update(from: fixture.store)
        var iterator = fixture.container.generations().makeAsyncIterator()
        #expect(await iterator.next()?.summary?.generation == 1)
        for number in 1...20 {
            try fixture.put("\(number)")
            try writer.update(from: fixture.store)
        }
        var taken = 0
        while let status = await iterator.next(), status.summary?.generation != 21 { taken += 1 }
        #expect(taken < 20)
    }

    @Test func `a cancelled task ends the sequence and frees its descriptors and its thread`() async throws {
        let fixture = try ReaderFixture()
        let before = try Self.held(fixture.container.directory)
        let container = fixture.container
        let (began, beganNow) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            var count = 0
            for await _ in container.generations() {
                count += 1
                beganNow.yield()
            }
            return count
        }
        for await _ in began { break }
        task.cancel()
        #expect(await task.value == 1)
        #expect(try await eventually { try Self.held(fixture.container.directory) <= before })
    }

    @Test func `an iterator that is let go of frees what it held, and a cancelled task gets nothing more`() async throws {
        let fixture = try ReaderFixture()
        let before = try Self.held(fixture.container.directory)
        for await status in fixture.container.generations() {
            #expect(status == .noStore)
            break
        }
        #expect(try await eventually { try Self.held(fixture.container.directory) <= before })
        let container = fixture.container
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var iterator = container.generations().makeAsyncIterator()
            return await iterator.next()
        }
        #expect(await cancelled.value == nil)
        #expect(try await eventually { try Self.held(fixture.container.directory) <= before })
    }

    /// Watches of this process on a directory: other tests have watches too.
    private static func held(_ directory: String) throws -> Int {
        // Where the directory is not there yet, a folder on the way to it is watched.
        var numbers: Set<String> = []
        var place = URL(filePath: directory)
        let root = FileManager.default.temporaryDirectory.standardizedFileURL.path
        while place.path.hasPrefix(root), place.standardizedFileURL.path != root, place.pathComponents.count > 2 {
            let attributes = try? FileManager.default.attributesOfItem(atPath: place.path)
            if let number = attributes?[.systemFileNumber] as? Int { numbers.insert(" ino:\(String(number, radix: 16)) ") }
            place.deleteLastPathComponent()
        }
        return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fdinfo").count { name in
            // A descriptor that was closed meanwhile is none.
            let text = (try? String(contentsOfFile: "/proc/self/fdinfo/\(name)", encoding: .utf8)) ?? ""
            return text.contains("inotify wd:") && numbers.contains { text.contains($0) }
        }
    }
}
