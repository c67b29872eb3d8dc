import Foundation
import Glibc
import SluiceReader
import SluiceSQLite
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceGroup

/// Field report 12 and the second half of 07: readers that stay, stop or mean harm.
@Suite struct SlowReaderTests {
    private static let items = [Projection("Item")]

    private func options() -> LocalStoreWriter.Options {
        var options = LocalStoreWriter.Options()
        options.logByteCountMax = 1 << 20
        options.checkpointPatience = .milliseconds(50)
        options.busyTimeout = .milliseconds(200)
        return options
    }

    /// One row of 4 KB and one generation.
    private func commit(_ number: Int, _ fixture: GroupFixture, _ writer: LocalStoreWriter) throws -> LocalStoreWriter.Generation {
        try fixture.store.write {
            try fixture.store.put(
                "Item", name: .text("\(number)"), RowEdit(attributes: ["note": .string(String(repeating: "x", count: 4_096))]))
        }
        return try writer.update(from: fixture.store)
    }

    private func logByteCounts(_ fixture: GroupFixture) throws -> [Int] {
        try fixture.directory().localStores().map {
            try FileManager.default.attributesOfItem(atPath: "\(fixture.path("group"))/\($0.name)-wal")[.size] as? Int ?? 0
        }
    }

    @Test func `a reader that stays holds up no commit, keeps its own state, and no log grows without bound`() throws {
        let fixture = try GroupFixture(.shop)
        let writer = try fixture.writer(Self.items, options: options())
        let first = try commit(0, fixture, writer)
        let seen = try fixture.container().read(limit: .seconds(300)) { snapshot -> [Int] in
            var seen = [try snapshot.count(of: "Item")]
            for number in 1...400 { _ = try commit(number, fixture, writer) }
            seen.append(try snapshot.count(of: "Item"))
            #expect(writer.blockedCheckpoint?.file == first.file)
            #expect(writer.retiredStores == [first.file])
            let sizes = try logByteCounts(fixture)
            #expect(sizes.allSatisfy { $0 < 2 << 20 }, "\(sizes)")
            return seen
        }
        #expect(seen == [1, 1])
        // The reader has gone: so does its file, with the log.
        try writer.sweep()
        #expect(writer.retiredStores.isEmpty)
        #expect(writer.blockedCheckpoint == nil)
        #expect(try logByteCounts(fixture).allSatisfy { $0 <= 1 << 20 })
        #expect(try fixture.container().read { try $0.count(of: "Item") } == 401)
    }

    @Test func `who holds the write lock of the local store stops nothing`() throws {
        let fixture = try GroupFixture(.shop)
        let writer = try fixture.writer(Self.items, options: options())
        let first = try commit(0, fixture, writer)
        let hostile = try Connection(path: "\(fixture.path("group"))/\(first.file.name)", mode: .readWrite)
        try hostile.execute("BEGIN IMMEDIATE")
        let second = try commit(1, fixture, writer)
        #expect(second.rebuild == .heldByReaders)
        #expect(second.file > first.file)
        #expect(try fixture.container().read { try $0.count(of: "Item") } == 2)
        #expect(writer.retiredStores == [first.file])
    }

    @Test func `old stores are bounded in number, whoever reads them`() throws {
        let fixture = try GroupFixture(.shop)
        var options = options()
        options.retiredStoreCountMax = 2
        let writer = try fixture.writer(Self.items, options: options)
        var readers: [Connection] = []
        for number in 0..<5 {
            let generation = try commit(number, fixture, writer)
            let reader = try Connection(path: "\(fixture.path("group"))/\(generation.file.name)", mode: .readOnly)
            try reader.execute("BEGIN; SELECT count(*) FROM Item")
            readers.append(reader)
            try writer.rebuild(from: fixture.store)
        }
        #expect(try fixture.directory().localStores().count == 3)
        // The first reader's file has no name any more, and it reads on.
        #expect(try readers[0].integer("SELECT count(*) FROM Item") == 1)
    }

    @Test func `07: a helper that is stopped in the middle of a read is named and waited for by nobody`() async throws {
        let fixture = try GroupFixture(.shop)
        let writer = try fixture.writer(Self.items, options: options())
        let first = try commit(0, fixture, writer)
        let group = fixture.path("group")
        async let helper = #expect(processExitsWith: .signal(SIGKILL)) { [group = group as String] in
            try GroupContainer(directory: group).read { snapshot in
                _ = try snapshot.count(of: "Item")
                try Data("\(getpid())".utf8).write(to: URL(fileURLWithPath: "\(group).pid"), options: .atomic)
                raise(SIGSTOP)
            }
        }
        let process = try await stoppedProcess(named: fixture.path("group") + ".pid")
        for number in 1...300 { _ = try commit(number, fixture, writer) }
        #expect(writer.blockedCheckpoint?.processes == [process])
        #expect(writer.retiredStores == [first.file])
        #expect(try fixture.container().read { try $0.count(of: "Item") } == 301)
        kill(process, SIGKILL)
        _ = await helper
        try writer.sweep()
        #expect(writer.retiredStores.isEmpty)
    }

    /// Waits until the process whose number is in the file is stopped.
    private func stoppedProcess(named file: String) async throws -> Int32 {
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            if let text = try? String(contentsOfFile: file, encoding: .utf8), let process = Int32(text),
                let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
                status.split(separator: ")").last?.split(separator: " ").first == "T"
            {
                return process
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw CancellationError()
    }

    @Test func `holders of a lock are read from the kernel's list`() {
        let listing = """
            1: POSIX  ADVISORY  READ 4711 08:02:131 1073741826 1073742335
            2: POSIX  ADVISORY  WRITE 42 08:02:132 0 EOF
            2: -> POSIX  ADVISORY  WRITE 43 08:02:131 0 EOF
            3: FLOCK  ADVISORY  WRITE 12 00:1a:7 0 EOF
            4: OFDLCK ADVISORY  READ -1 08:02:131 0 EOF
            """
        #expect(LockHolders.processes(in: listing, inodes: [131], besides: 1) == [43, 4_711])
        #expect(LockHolders.processes(in: listing, inodes: [131, 132], besides: 4_711) == [42, 43])
    }
}
