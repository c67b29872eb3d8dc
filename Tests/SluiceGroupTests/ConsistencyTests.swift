import Foundation
import Glibc
import SluiceReader
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceGroup

/// I-8: a helper sees a consistent state, or a clear status; never half of a transaction.
@Suite struct ConsistencyTests {
    /// Two lists that always have the same number of items, and the same title.
    private static func step(_ number: Int, _ store: Store, _ writer: LocalStoreWriter) throws {
        try store.write {
            for list in ["a", "b"] {
                try store.put("List", name: .text(list), RowEdit(attributes: ["title": .string("\(number)")]))
                try store.put("Item", name: .text("\(list)\(number)"), RowEdit(references: ["list": .text(list)]))
                if number > 20 { try store.delete(.text("\(list)\(number - 20)")) }
            }
        }
        // In place most of the time, and a new file now and then.
        if number % 25 == 0 { try writer.rebuild(from: store) } else { try writer.update(from: store) }
    }

    /// Returns at the latest when the writer has surely ended.
    private static func waitForChange(of file: String) throws {
        let deadline = ContinuousClock.now + .milliseconds(200)
        let before = try Data(contentsOf: URL(fileURLWithPath: file))
        while ContinuousClock.now < deadline, try Data(contentsOf: URL(fileURLWithPath: file)) == before { usleep(200) }
    }

    @Test func `every read of many is one whole generation, while rows change and files are replaced`() async throws {
        let fixture = try GroupFixture(.shop)
        let writer = try fixture.writer(Projection.everything(in: fixture.store.layout.schema))
        try Self.step(1, fixture.store, writer)
        let group = fixture.path("group")
        async let reader = #expect(processExitsWith: .success) { [group = group as String] in
            var generation: Int64 = 0
            var seen = 0
            while !FileManager.default.fileExists(atPath: "\(group)/Legacy/done") || seen < 300 {
                let state = try GroupContainer(directory: group).read { snapshot in
                    let titles = Set(try snapshot.rows(of: "List").map { $0.attributes["title"] })
                    // Now and then a generation is waited for in the middle of a read.
                    if seen % 10 == 0 { try Self.waitForChange(of: "\(group)/defaults.json") }
                    let last = try snapshot.rows(of: "List").map { $0.attributes["title"] }
                    let counts = try ["a", "b"].map { try snapshot.count(of: "Item", where: .comparison("list", .equal, .text($0))) }
                    return (snapshot.generation, titles.count == 1 && Set(last) == titles && counts[0] == counts[1])
                }
                guard state.1, state.0 >= generation else { exit(1) }
                generation = state.0
                seen += 1
            }
        }
        for number in 2...150 { try Self.step(number, fixture.store, writer) }
        try Data().write(to: URL(fileURLWithPath: "\(group)/Legacy/done"))
        _ = await reader
    }

    /// Field report 07 (c), with fewer kills: the long version is the soak's.
    @Test func `helpers that are killed at any moment leave nothing locked`() async throws {
        let fixture = try GroupFixture(.shop)
        let writer = try fixture.writer(Projection.everything(in: fixture.store.layout.schema))
        try Self.step(1, fixture.store, writer)
        for number in 2...6 {
            let group = fixture.path("group")
            async let reader = #expect(processExitsWith: .signal(SIGKILL)) { [group = group as String, number = number as Int] in
                var reads = 0
                while true {
                    try GroupContainer(directory: group).read { snapshot in
                        reads += 1
                        _ = try snapshot.count(of: "Item")
                        if reads == number * 7 { kill(getpid(), SIGKILL) }
                    }
                }
            }
            try Self.step(number * 2, fixture.store, writer)
            _ = await reader
            try Self.step(number * 2 + 1, fixture.store, writer)
            #expect(writer.retiredStores.isEmpty)
        }
    }

    @Test func `a read ends at its bound, whether SQLite or its caller is slow`() throws {
        let fixture = try GroupFixture(.shop)
        let writer = try fixture.writer(Projection.everything(in: fixture.store.layout.schema))
        for number in 1...3 { try Self.step(number, fixture.store, writer) }
        let container = fixture.container()
        let limit = Duration.milliseconds(1)
        #expect(throws: ReaderError.self) {
            try container.read(limit: limit) { snapshot in
                try snapshot.forEachRow(of: "Item") { _ in
                    let end = ContinuousClock.now + .milliseconds(2)
                    while ContinuousClock.now < end {}
                }
            }
        }
        // And the next one has its own.
        #expect(try container.read { try $0.count(of: "Item") } == 6)
    }
}
