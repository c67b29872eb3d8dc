import Foundation
import SluiceReader
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceGroup

/// Field report 12 with its figures, where the helper's read is as long as a reader may make it.
@Suite(.timeLimit(.minutes(10))) struct LongReadTests {
    @Test func `12: 2,000 commits of 4 KB succeed while a helper reads, it is told what is blocked, and the log ends within its bound`() throws {
        let fixture = try ReaderFixture()
        let bound = 2 << 20
        var options = LocalStoreWriter.Options()
        options.logByteCountMax = bound
        let writer = try fixture.writer(options: options)
        try fixture.put("first")
        let first = try writer.update(from: fixture.store)
        let text = String(repeating: "x", count: 4_096)
        let seen = try fixture.container.read(limit: .seconds(300)) { snapshot -> [Int] in
            var seen = [try snapshot.count(of: "Item")]
            for number in 1...2_000 {
                try fixture.put("\(number) \(text)")
                try writer.update(from: fixture.store)
            }
            #expect(writer.blockedCheckpoint?.file == first.file)
            #expect(writer.blockedCheckpoint.map { "\($0)" }?.contains(first.file.name) == true)
            seen.append(try snapshot.count(of: "Item"))
            return seen
        }
        #expect(seen == [1, 1])
        // The coordinator does this once a second; no time stands here, for a machine may be busy.
        try writer.sweep()
        #expect(writer.blockedCheckpoint == nil && writer.retiredStores.isEmpty)
        for file in try GroupDirectory(preparing: fixture.group, unixGroup: nil).localStores() {
            let log = try FileManager.default.attributesOfItem(atPath: "\(fixture.group)/\(file.name)-wal")[.size] as? Int
            #expect(try #require(log) <= bound)
        }
        #expect(try fixture.container.read { try $0.count(of: "Item") } == 2_001)
    }
}
