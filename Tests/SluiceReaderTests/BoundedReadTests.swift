import Dispatch
import Foundation
import SluiceGroup
import SluiceSQLite
import SluiceSchema
import Testing

@testable import SluiceReader

/// The reader's side of field reports 07 and 12: a state ends at its bound, whatever its holder does.
@Suite struct BoundedReadTests {
    @Test func `12: a state that is held beyond its time ends by itself, and the log can be emptied while its holder sleeps on`() throws {
        let fixture = try ReaderFixture()
        let writer = try fixture.writer()
        try fixture.put("milk")
        let file = try writer.update(from: fixture.store).file
        let path = "\(fixture.group)/\(file.name)"
        var isBlocked: [Bool] = []
        let error = #expect(throws: ReaderError.self) {
            try fixture.container.read(limit: .milliseconds(300)) { snapshot in
                #expect(try snapshot.count(of: "Item") == 1)
                try fixture.put("bread")
                try writer.update(from: fixture.store)
                let connection = try Connection(path: path, mode: .readWrite, busyTimeout: .zero)
                // A connection that has read nothing does not know of the log yet.
                _ = try connection.integer("SELECT count(*) FROM Item")
                isBlocked.append(try connection.checkpoint().isBlocked)
                // Nobody touches the snapshot from here on.
                let deadline = ContinuousClock.now + .seconds(60)
                while try connection.checkpoint().isBlocked, ContinuousClock.now < deadline { usleep(5_000) }
                isBlocked.append(try connection.checkpoint().isBlocked)
                _ = try snapshot.rows(of: "Item")
            }
        }
        #expect(isBlocked == [true, false])
        #expect(error == .tookTooLong(path: path, limit: .milliseconds(300)))
        #expect(error?.exitStatus == 75)
        #expect(try fixture.container.read { try $0.count(of: "Item") } == 2)
    }

    @Test func `no state is held longer than the reader allows, whatever limit is asked for`() throws {
        let fixture = try ReaderFixture()
        let writer = try fixture.writer()
        try fixture.put("milk")
        try writer.update(from: fixture.store)
        #expect(GroupContainer.readLimitMax == .seconds(300))
        let error = #expect(throws: ReaderError.self) {
            try fixture.container.read(limit: .seconds(-1)) { try $0.count(of: "Item") }
        }
        if case .tookTooLong = error {} else { Issue.record("\(String(describing: error))") }
    }

    @Test func `reads that wait hold up no task of Swift's pool`() async throws {
        let fixture = try ReaderFixture()
        let writer = try fixture.writer()
        try fixture.put("milk")
        try writer.update(from: fixture.store)
        let container = fixture.container
        let gate = DispatchSemaphore(value: 0)
        // More of them than the pool has threads, and each waits for a task of the pool.
        let count = ProcessInfo.processInfo.activeProcessorCount * 2 + 2
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<count {
                group.addTask {
                    try await container.withSnapshot(limit: .seconds(120)) { snapshot in
                        gate.wait()
                        return try snapshot.count(of: "Item")
                    }
                }
            }
            group.addTask {
                for _ in 0..<count { gate.signal() }
                return 0
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == count)
    }

    @Test func `a task that is cancelled before its read begins reads nothing`() async throws {
        let fixture = try ReaderFixture()
        let container = fixture.container
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await container.withSnapshot { _ in 1 }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `rows say their values by name and kind`() throws {
        let fixture = try ReaderFixture()
        let writer = try fixture.writer()
        let due = Date(timeIntervalSince1970: 1_771_416_482)
        try fixture.put("milk", ["count": .integer(3), "price": .double(1.5), "due": .date(due)], list: "food")
        try writer.update(from: fixture.store)
        let row = try #require(try fixture.container.read { try $0.rows(of: "Item").first })
        #expect(row.string("title") == "milk" && row.integer("count") == 3 && row.double("price") == 1.5 && row.date("due") == due)
        #expect(row.boolean("isDone") == false && row.double("count") == 3 && row.reference("list") == .text("food"))
        #expect(row.string("count") == nil && row["nothing"] == .null && row.uuid("title") == nil && row.decimal("price") == nil)
    }
}
