import Foundation
import SluiceSchema
import SluiceSQLite
import Testing

@testable import SluiceStore

/// Which files of external values go, and when.
@Suite struct ExternalCollectionTests {
    private struct Stop: Error {}

    private static let value = Data.sample(200_000, 1)
    private static let other = Data.sample(200_000, 2)

    private func path(_ fixture: StoreFixture, _ value: Data = value) -> String { ExternalValueWriter.reference(to: value).fileName }

    @Test func `what a transaction that came to nothing wrote is collected, an hour later and not before`() throws {
        let fixture = try StoreFixture(.gallery)
        #expect(throws: Stop.self) {
            try fixture.store.write {
                try fixture.store.put("Photo", RowEdit(attributes: ["image": .data(Self.value)]))
                throw Stop()
            }
        }
        #expect(fixture.externalFiles == [path(fixture)])
        fixture.clock.now = Date()
        #expect(try fixture.store.collectExternalValues() == 0)
        fixture.age()
        #expect(try fixture.store.collectExternalValues() == 1)
        #expect(fixture.externalFiles.isEmpty)
    }

    @Test func `a value stays as long as a row or an old value in the log refers to it`() throws {
        let fixture = try StoreFixture(.gallery)
        let store = fixture.store
        try fixture.putPhoto("a", ["image": .data(Self.value)])
        try fixture.putPhoto("b", ["raw": .data(Self.other)])
        try fixture.putPhoto("a", ["image": .null])
        try store.write { _ = try store.delete(.text("b")) }
        fixture.age()
        #expect(try store.collectExternalValues() == 0)
        // The newest entry of the log always stays, so that another one has to come before the deletion goes.
        try fixture.putPhoto("c", ["title": .string("c")])
        try store.drainChanges()
        for name in ["a", "b", "c"] { try store.forgetPending(.text(name)) }
        #expect(try store.pruneChanges(before: .max) > 0)
        #expect(try store.collectExternalValues() == 2)
        #expect(fixture.externalFiles.isEmpty)
    }

    @Test func `a value that is written again just now stays, though its file is old`() throws {
        let fixture = try StoreFixture(.gallery)
        fixture.clock.now = Date()
        #expect(throws: Stop.self) {
            try fixture.store.write {
                try fixture.store.put("Photo", RowEdit(attributes: ["image": .data(Self.value)]))
                throw Stop()
            }
        }
        let file = fixture.externalPath(of: Self.value)
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -86_400)], ofItemAtPath: file)
        #expect(try fixture.store.unneededExternalFiles().map(\.path) == [file])
        // A store that shares the folder writes the same value, and has not committed yet.
        _ = try ExternalValueWriter(#require(fixture.store.externalValues), besideStore: fixture.store.path).write(Self.value)
        #expect(try fixture.store.collectExternalValues() == 0)
        #expect(fixture.externalFiles == [path(fixture)])
    }

    @Test func `what a crash left of an unfinished file goes, and what others put there is not touched`() throws {
        let fixture = try StoreFixture(.gallery)
        try fixture.putPhoto("a", ["image": .data(Self.value)])
        let digest = ExternalValueWriter.reference(to: Self.other).digest
        let folder = fixture.support.appending(path: String(digest.prefix(2)))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let foreign = ["README", "\(digest).txt", ".hidden", String(digest.dropLast())]
        for name in [".\(digest).77.partial", digest] + foreign { try Data([1]).write(to: folder.appending(path: name)) }
        // `..` is a folder of two characters too.
        for name in [".\(digest).77.partial", digest] { try Data([3]).write(to: fixture.folder.appending(path: name)) }
        let core = fixture.support.appending(path: "_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: core, withIntermediateDirectories: true)
        try Data([2]).write(to: core.appending(path: UUID().uuidString))
        fixture.age()
        #expect(try fixture.store.collectExternalValues() == 2)
        #expect(try fixture.image("a") == .data(Self.value))
        #expect(fixture.externalFiles.count == 1 + foreign.count + 1)
        #expect(FileManager.default.fileExists(atPath: fixture.folder.appending(path: digest).path))
        #expect(FileManager.default.fileExists(atPath: fixture.folder.appending(path: ".\(digest).77.partial").path))
    }

    @Test func `another store with the same folder is asked, and one that cannot be read keeps everything`() throws {
        let fixture = try StoreFixture(.gallery)
        let path = fixture.folder.appending(path: "Private.sqlite").path
        var sibling: Store? = try Store(path: path, schema: fixture.store.layout.schema, options: Store.Options(zone: "test"))
        try sibling?.write { _ = try sibling?.put("Photo", RowEdit(attributes: ["image": .data(Self.value)])) }
        try Data("no database".utf8).write(to: fixture.folder.appending(path: "Private.txt"))
        fixture.age()
        #expect(try fixture.store.collectExternalValues() == 0)
        #expect(fixture.externalFiles == [self.path(fixture)])
        sibling = nil
        let bytes = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        // A store whose pages are gone still says that it is one.
        try #require(bytes > 8_192 && truncate(path, 4_096) == 0)
        for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
        #expect(try fixture.store.collectExternalValues() == 0)
        unlink(path)
        #expect(try fixture.store.collectExternalValues() == 1)
    }

    @Test func `a store without files has nothing to do`() throws {
        let fixture = try StoreFixture(.gallery)
        try fixture.putPhoto("a", ["image": .data(Data([1]))])
        fixture.age()
        #expect(try fixture.store.collectExternalValues() == 0)
        #expect(try fixture.store.externalFaults(checkingContents: true).isEmpty)
        #expect(!FileManager.default.fileExists(atPath: fixture.support.path))
    }
}
